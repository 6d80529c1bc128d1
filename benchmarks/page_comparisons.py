"""What each comparison and each series is called on the page, and what each side computes."""

# ruff: noqa: E501 (sentences are not broken)
from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from page_words import CHINESE, ENGLISH

Words = Mapping[str, tuple[str, str]]

COMPARISONS: Final[Mapping[str, Words]] = {
    ENGLISH: {
        "generated-text": (
            "Text, {rows:,} rows, {classes:,} classes",
            "Eight text columns as quasi-identifiers, 20 sensitive values.",
        ),
        "generated-unique": (
            "Nearly every row a class, {rows:,} rows, {classes:,} classes",
            "Two of the eight text columns have many values.",
        ),
        "generated-integer": (
            "Integers, {rows:,} rows, {classes:,} classes",
            "The bare query is so short that opening a file weighs more than the counting.",
        ),
        "generated-skewed": (
            "Skewed, {rows:,} rows, {classes:,} classes",
            "The shares of Adult, some rows suppressed, classes of thousands of rows.",
        ),
        "generated-numeric": (
            "2,000 sensitive numbers, {rows:,} rows, {classes:,} classes",
            "Too many values for a counter each.",
        ),
        "audit-text": ("Complete audit of text", "{measures} measures that share their counts."),
        "audit-unique": (
            "Complete audit of unique",
            "{measures} measures, nearly every row a class.",
        ),
        "audit-integer": ("Complete audit of integer", "{measures} measures."),
        "audit-skewed": ("Complete audit of skewed", "{measures} measures."),
        "audit-numeric": ("Complete audit of numeric", "{measures} measures."),
        "large-text": (
            "Text, {rows:,} rows, {classes:,} classes, within {memory}",
            "The bare query has the same limit of memory and as many threads.",
        ),
        "mpuccs-large": (
            "mpUCCs: {rows:,} rows in each table",
            "{columns} columns, combinations of up to {up_to}. DuckDB counts them within {memory} of memory, beside the search "
            "that holds the tables in memory; both count the same in every combination and identify {identified:,} rows.",
        ),
        "mpuccs-adult": (
            "mpUCCs: a DuckDB query each",
            "The search on the bundled Adult pair, up to {up_to} columns, {combinations:,} combinations, against as "
            "many plain queries over the same table of codes. Unique rows are the same in all of them.",
        ),
        "pycanon-adult-deidentified": (
            "pyCANON: t, Adult de-identified",
            "t-closeness of the bundled de-identified Adult, a pandas frame in memory, text compared for equality; both find t = "
            "{t:.6g}.",
        ),
        "pycanon-adult": (
            "pyCANON: t, raw Adult",
            "t-closeness of the bundled raw Adult, which has far more classes; both find t = {t:.6g}.",
        ),
        "pycanon-report": (
            "pyCANON: its report, raw Adult",
            "{their_figures} figures of pyCANON's report against {our_figures} of the complete audit; k, alpha, l, "
            "beta and t are the same.",
        ),
        "anonymeter-1": (
            "Anonymeter: one column",
            "Bundled Adult pair. Anonymeter draws {attacks:,} univariate attacks from the synthetic table and finds "
            "{attacks_singled_out:,} that single out one original row; that is an estimate. mpUCCs looks at all "
            "{combinations:,} columns: {unique:,} synthetic values are unique, {identified:,} synthetic rows point at "
            "exactly one original row; that is a complete count. Anonymeter also asks for the largest and the "
            "smallest number of a column as a range, mpUCCs only for equal values.",
        ),
        "anonymeter-3": (
            "Anonymeter: three columns",
            "Bundled Adult pair. Anonymeter tries random rows and triples of columns until it has {attacks:,} attacks "
            "that are unique in the synthetic table, of which {attacks_singled_out:,} single out one original row. "
            "mpUCCs looks at all {combinations:,} combinations of up to three columns and identifies {identified:,} "
            "rows. Anonymeter's attacks use ranges of numbers, mpUCCs equal values.",
        ),
        "anonymeter-inference": (
            "Anonymeter: inference",
            "Bundled Adult pair, 14 known columns. Anonymeter guesses the income of a sample of {attacks:,} people "
            "({their_rate:.1%} right), petaudit that of all {people:,} ({our_rate:.1%}), equally near rows averaged: "
            "{per_person:,} times faster per person.",
        ),
        "anonymeter-linkability": (
            "Anonymeter: linkability",
            "Bundled Adult pair, two halves of the columns. Anonymeter tries to link {attacks:,} people, petaudit all "
            "{people:,}: {per_person:,} times faster per person.",
        ),
        "sdmetrics-closest": (
            "SDMetrics: DCROverfitting",
            "Bundled Adult pair, every second person of the original as control. SDMetrics compares {pairs:,} pairs of "
            "rows (samples of {sample:,}), petaudit all {our_pairs:,}: {per_pair:,} times faster per pair.",
        ),
        "sdmetrics-mix": (
            "SDMetrics: TVComplement",
            "Bundled Adult pair, {columns} columns of labels. SDMetrics: 1 - total variation of each column. petaudit: "
            "distribution-distance, which has Hellinger as well; largest difference {largest_difference:.1g}.",
        ),
        "sdmetrics-correlations": (
            "SDMetrics: CorrelationSimilarity",
            "Bundled Adult pair, {figures} pairs of {columns} columns of numbers. Both: 1 - half the change of "
            "Pearson's correlation; petaudit's association-change computes Spearman's as well. Largest difference "
            "{largest_difference:.1g}.",
        ),
        "sdmetrics-spread": (
            "SDMetrics: KSComplement",
            "Bundled Adult pair, {columns} columns of numbers. SDMetrics: 1 - the largest gap between the cumulative "
            "distributions. petaudit: distribution-distance, which has the area between them (Wasserstein), total "
            "variation and Hellinger as well, with exact fractions; largest difference {largest_difference:.1g}.",
        ),
        "sdmetrics-tables": (
            "SDMetrics: ContingencySimilarity",
            "Bundled Adult pair, {figures} pairs of {columns} columns of labels. SDMetrics: 1 - total variation of the "
            "two-way table. petaudit's association-change: the change of Cramér's V, corrected for bias.",
        ),
        "petsard": (
            "PETsARD: mpUCCs",
            "Bundled Adult pair, up to two columns, run of {recorded}; petaudit on all columns beside it. Both count the "
            "same unique rows in every combination that PETsARD does not prune; it prunes {their_pruned} and "
            "identifies {their_identified:,} rows, petaudit prunes none and identifies {our_identified:,}. "
            "The same method on both sides, with [known differences](migration/petsard.md#why-figures-differ).",
        ),
    },
    CHINESE: {
        "generated-text": (
            "文字，{rows:,} 列，{classes:,} 個等價類",
            "八個文字欄位作為準識別符，敏感屬性有 20 個值。",
        ),
        "generated-unique": (
            "幾乎每列自成一類，{rows:,} 列，{classes:,} 個等價類",
            "八個文字欄位中有兩個的值很多。",
        ),
        "generated-integer": (
            "整數，{rows:,} 列，{classes:,} 個等價類",
            "單純的查詢太快，開啟檔案比計數更花時間。",
        ),
        "generated-skewed": (
            "偏斜，{rows:,} 列，{classes:,} 個等價類",
            "採用 Adult 的比例，部分列被抑制，有些等價類多達數千列。",
        ),
        "generated-numeric": (
            "2,000 個敏感數字，{rows:,} 列，{classes:,} 個等價類",
            "值太多，無法各設一個計數器。",
        ),
        "audit-text": ("完整稽核 text", "{measures} 個指標共用計數。"),
        "audit-unique": ("完整稽核 unique", "{measures} 個指標，幾乎每列自成一類。"),
        "audit-integer": ("完整稽核 integer", "{measures} 個指標。"),
        "audit-skewed": ("完整稽核 skewed", "{measures} 個指標。"),
        "audit-numeric": ("完整稽核 numeric", "{measures} 個指標。"),
        "large-text": (
            "文字，{rows:,} 列，{classes:,} 個等價類，記憶體 {memory} 以內",
            "單純的查詢有同樣的記憶體限制與同樣多的執行緒。",
        ),
        "mpuccs-large": (
            "mpUCCs：每張表 {rows:,} 列",
            "{columns} 個欄位，最多 {up_to} 欄的組合。DuckDB 在 {memory} 記憶體內計數，旁邊是把資料表放在記憶體中的搜尋；雙方在每個組合的計數都相同，都指認 {identified:,} 列。",
        ),
        "mpuccs-adult": (
            "mpUCCs：每個組合一個 DuckDB 查詢",
            "在內附的 Adult 資料對上搜尋，最多 {up_to} 欄，共 {combinations:,} 個組合，對照同一張代碼表上同樣多個單純的查詢。所有組合的唯一列數都相同。",
        ),
        "pycanon-adult-deidentified": (
            "pyCANON：t，去識別化的 Adult",
            "內附的去識別化 Adult 的 t-相似性，記憶體中的 pandas 資料框，文字只比較是否相等；雙方都得到 t = {t:.6g}。",
        ),
        "pycanon-adult": (
            "pyCANON：t，原始 Adult",
            "內附的原始 Adult 的 t-相似性，等價類多得多；雙方都得到 t = {t:.6g}。",
        ),
        "pycanon-report": (
            "pyCANON：報告，原始 Adult",
            "pyCANON 的報告有 {their_figures} 個數字，完整稽核有 {our_figures} 個；k、alpha、l、beta 與 t 都相同。",
        ),
        "anonymeter-1": (
            "Anonymeter：一個欄位",
            "內附的 Adult 資料對。Anonymeter 從合成資料表抽出 {attacks:,} 次單變項攻擊，其中 {attacks_singled_out:,} 次單獨指認一列原始資料；這是估計。"
            "mpUCCs 檢查全部 {combinations:,} 個欄位：{unique:,} 個合成值是唯一的，{identified:,} 列合成資料恰好指向一列原始資料；這是完整的計數。"
            "Anonymeter 也把欄位的最大與最小數字當作範圍來查詢，mpUCCs 只比對相等的值。",
        ),
        "anonymeter-3": (
            "Anonymeter：三個欄位",
            "內附的 Adult 資料對。Anonymeter 隨機嘗試列與三個欄位，直到有 {attacks:,} 次攻擊在合成資料表中是唯一的，其中 {attacks_singled_out:,} 次單獨指認一列原始資料。"
            "mpUCCs 檢查最多三個欄位的全部 {combinations:,} 個組合，指認 {identified:,} 列。Anonymeter 的攻擊使用數字的範圍，mpUCCs 使用相等的值。",
        ),
        "anonymeter-inference": (
            "Anonymeter：推論",
            "內附的 Adult 資料對，14 個已知欄位。Anonymeter 猜 {attacks:,} 個抽樣的人的收入（{their_rate:.1%} 猜中），petaudit 猜全部 {people:,} 人（{our_rate:.1%}），同樣近的列取平均：每人快 {per_person:,} 倍。",
        ),
        "anonymeter-linkability": (
            "Anonymeter：連結",
            "內附的 Adult 資料對，欄位分為兩半。Anonymeter 嘗試連結 {attacks:,} 人，petaudit 嘗試全部 {people:,} 人：每人快 {per_person:,} 倍。",
        ),
        "sdmetrics-closest": (
            "SDMetrics：DCROverfitting",
            "內附的 Adult 資料對，原始資料每兩人取一人作為對照。SDMetrics 比對 {pairs:,} 對資料列（各抽樣 {sample:,} 列），petaudit 比對全部 {our_pairs:,} 對：每對快 {per_pair:,} 倍。",
        ),
        "sdmetrics-mix": (
            "SDMetrics：TVComplement",
            "內附的 Adult 資料對，{columns} 個標籤欄位。SDMetrics：1 減去各欄的總變異。petaudit：分布距離，同時也計算 Hellinger；最大差距 {largest_difference:.1g}。",
        ),
        "sdmetrics-correlations": (
            "SDMetrics：CorrelationSimilarity",
            "內附的 Adult 資料對，{columns} 個數字欄位的 {figures} 組配對。雙方：1 減去 Pearson 相關係數變化的一半；petaudit 的關聯變化同時也計算 Spearman。最大差距 {largest_difference:.1g}。",
        ),
        "sdmetrics-spread": (
            "SDMetrics：KSComplement",
            "內附的 Adult 資料對，{columns} 個數字欄位。SDMetrics：1 減去兩個累積分布的最大差距。petaudit：分布距離，同時也以精確的分數計算兩者之間的面積（Wasserstein）、總變異與 Hellinger；最大差距 {largest_difference:.1g}。",
        ),
        "sdmetrics-tables": (
            "SDMetrics：ContingencySimilarity",
            "內附的 Adult 資料對，{columns} 個標籤欄位的 {figures} 組配對。SDMetrics：1 減去雙向表的總變異。petaudit 的關聯變化：經偏誤校正的 Cramér's V 的變化。",
        ),
        "petsard": (
            "PETsARD：mpUCCs",
            "內附的 Adult 資料對，最多兩欄，{recorded} 的執行；旁邊是 petaudit 檢查全部欄位。凡是 PETsARD 沒有剪去的組合，雙方的唯一列數都相同；"
            "它剪去 {their_pruned} 個，指認 {their_identified:,} 列；petaudit 不剪枝，指認 {our_identified:,} 列。"
            "雙方是同一個方法，而有[已知的差異](migration/petsard.md#數值為何不同)。",
        ),
    },
}

GROWTH: Final[Mapping[str, Mapping[str, tuple[str, str, str]]]] = {
    ENGLISH: {
        "rows": ("Rows", "rows", "The table of text with {quasi_identifiers} quasi-identifiers."),
        "columns": (
            "Columns",
            "quasi-identifiers",
            "{rows:,} rows; with more columns there are about as many classes. Without the complete audit, some of whose "
            "measures look at combinations of columns.",
        ),
        "mpuccs-rows": (
            "mpUCCs: rows",
            "rows of each table",
            "Two tables of {columns} columns, all combinations of up to {up_to}. The whole call reads and encodes the "
            "files as well, which the queries are not timed for.",
        ),
        "mpuccs-columns": (
            "mpUCCs: columns",
            "columns",
            "Two tables of {rows:,} rows, all combinations of up to {up_to} columns: they grow with the square of the "
            "columns.",
        ),
    },
    CHINESE: {
        "rows": ("列數", "列數", "文字資料表，{quasi_identifiers} 個準識別符。"),
        "columns": (
            "欄數",
            "準識別符個數",
            "{rows:,} 列；欄位增加時等價類的個數大致不變。不含完整稽核，因為它有些指標會檢查欄位的組合。",
        ),
        "mpuccs-rows": (
            "mpUCCs：列數",
            "每張表的列數",
            "兩張 {columns} 欄的資料表，最多 {up_to} 欄的所有組合。整個呼叫還包含讀取檔案與編碼，查詢則不計這段時間。",
        ),
        "mpuccs-columns": (
            "mpUCCs：欄數",
            "欄數",
            "兩張 {rows:,} 列的資料表，最多 {up_to} 欄的所有組合：個數隨欄數的平方成長。",
        ),
    },
}

LEFT_OUT: Final[Mapping[str, Mapping[str, str]]] = {
    ENGLISH: {
        "shapes": "the tables unique, integer, skewed and numeric",
        "pycanon-raw": "pyCANON on the raw Adult, and its report",
        "anonymeter-attacks": "most of Anonymeter's attacks with three columns",
        "petsard-now": "PETsARD in the same run: its recorded run is shown",
        "first-call": "what the first call of a process and the pipeline of the seed cost",
        "growth-10-million": "growth to 10 million rows",
        "large": "100 million rows, and mpUCCs beyond memory",
        "generated": "generated tables against the bare query",
        "audit": "the complete audit",
        "mpuccs": "the search for mpUCCs",
        "growth": "growth with rows and columns",
        "pycanon": "pyCANON",
        "anonymeter": "Anonymeter",
        "sdmetrics": "SDMetrics",
        "petsard": "PETsARD",
    },
    CHINESE: {
        "shapes": "資料表 unique、integer、skewed 與 numeric",
        "pycanon-raw": "pyCANON 處理原始 Adult，以及它的報告",
        "anonymeter-attacks": "Anonymeter 大部分的三欄位攻擊",
        "petsard-now": "同一次執行中的 PETsARD：改列出它先前記錄的執行",
        "first-call": "行程的第一次呼叫，以及範例流程的成本",
        "growth-10-million": "成長到一千萬列",
        "large": "一億列，以及超過記憶體的 mpUCCs",
        "generated": "產生的資料表與單純的查詢相比",
        "audit": "完整稽核",
        "mpuccs": "mpUCCs 的搜尋",
        "growth": "隨列數與欄數的成長",
        "pycanon": "pyCANON",
        "anonymeter": "Anonymeter",
        "sdmetrics": "SDMetrics",
        "petsard": "PETsARD",
    },
}
