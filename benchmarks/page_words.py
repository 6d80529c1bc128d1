"""The words of the page of benchmarks, in both languages; every number comes from the results."""

# ruff: noqa: E501 (sentences are not broken)
from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ENGLISH: Final = "en"
CHINESE: Final = "zh-TW"

INTRODUCTION: Final[Mapping[str, str]] = {
    ENGLISH: """\
# Benchmarks

How long petaudit takes, beside the bare database query and beside other packages, **as ratios within one run**.
Seconds belong to one machine on one day; a ratio between two programs that ran in turn in the same minutes hardly
does. `benchmarks/page.py` makes this page from `benchmarks/results/latest.json`; do not edit it by hand.

This run: {date}, the {kind} one; rounds: {repetitions} at most.

- Every measurement is a new process that warms up and is then timed. Contenders take turns: A B C A B C.
- A ratio is that of the medians. In brackets are the smallest and the largest ratio of a single round; contenders
  that ran differently often have those of any two runs. One round has no spread.
- CPU time is that of all threads together; it hardly changes when the machine is busy.
- Peak memory is that of the whole process, with the libraries that it imports.
- Contenders must agree wherever both compute the same figure: a difference above 1e-9 ends the run.
""",
    CHINESE: """\
# 效能評測

[English](../benchmarks.md)

petaudit 花多少時間，與單純的資料庫查詢、與其他套件並列，**一律用同一次執行內的倍數表示**。秒數只屬於某一天的某一台機器；兩個程式在同樣的幾分鐘內輪流執行，它們的倍數就幾乎與機器無關。`benchmarks/page.py` 由 `benchmarks/results/latest.json` 產生這一頁；請勿手動修改。

這次執行：{date}，{kind}；最多 {repetitions} 輪。

- 每次量測都是一個新的行程：先暖身，再計時。受測程式輪流執行：A B C A B C。
- 倍數是中位數之比。方括號內是單一輪中最小與最大的倍數；執行次數不同的受測程式，則取任兩次之比的最小與最大。只有一輪就沒有散布。
- CPU 時間是所有執行緒的總和；機器忙碌時幾乎不變。
- 記憶體峰值屬於整個行程，包含它載入的函式庫。
- 雙方計算同一個數字時必須相符：差距超過 1e-9，執行就中止。
""",
}

KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    ENGLISH: {"short": "short", "full": "full", "quick": "quick"},
    CHINESE: {"short": "簡短版", "full": "完整版", "quick": "快速版"},
}

HEADINGS: Final[Mapping[str, Mapping[str, str]]] = {
    ENGLISH: {
        "bare": "Against the bare query",
        "peers": "Beside other packages",
        "growth": "Growth",
        "large": "Large tables, little memory",
        "targets": "Targets",
        "left_out": "What this run left out",
        "machine": "Machine and versions",
        "again": "Measure it yourself",
    },
    CHINESE: {
        "bare": "與單純的查詢相比",
        "peers": "與其他套件並列",
        "growth": "成長",
        "large": "大型資料表，有限的記憶體",
        "targets": "目標",
        "left_out": "這次執行略過的部分",
        "machine": "機器與版本",
        "again": "自己量測",
    },
}

TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    ENGLISH: {
        "bare": (
            "Every class-based measure has to group the rows by the quasi-identifiers. The yardstick is DuckDB doing "
            "that and nothing else, on generated Parquet files of eight quasi-identifiers and a sensitive attribute. "
            "On small tables what a call costs once weighs more than the counting."
        ),
        "elsewhere": (
            "In other engines the yardstick is their own bare query (`benchmarks/engines.py`, 5 million rows, CPU time, "
            "runs of their own). From 0.6.0 to 0.12.0, k-anonymity took 3.9 and takes 1.1 times as long as it [in "
            "PostgreSQL](databases.md), 1.4 and 1.1 [on Spark](spark.md); t-closeness 12 and 1.5, 7.2 and 2.4; a complete "
            "audit 13 and 2.0, 25 and 5.8."
        ),
        "peers": (
            "All packages run in environments of their own, in the same run. Where two packages do not compute the "
            "same figure, it is said: then only the time and what is found can be compared."
        ),
        "growth": (
            "Seconds follow a power of the size: twice the size takes 2 to the power of the exponent times as long. "
            "The exponent is fitted by least squares to the logarithms of all sizes, in brackets the extremes of single "
            "rounds. What a call costs once flattens the beginning, so that of the two largest sizes is beside it."
        ),
        "large": (
            "Large tables within a limit of memory: what does not fit is written to a private folder and read again."
        ),
        "titled": "{title}: {said}",
        "targets": (
            "What the project asks of a full run; the ratio of the medians decides. {met} of {gates} targets that gate are met. "
            "{shown} more are only shown. Those that are not met:"
        ),
        "nothing": "Nothing.",
        "again": (
            "`make bench` is the short run (some minutes), `make bench-full` the long one (about half an hour, and 10 GB "
            "of disk). Environments of other packages are made on first use. `benchmarks/README.md` says what exactly "
            "is measured and how."
        ),
        "ratio": "Times as long as {base}, CPU time",
        "ratio_time": "Times as long as {base}",
        "seconds": "Seconds",
        "plot": "{title}: {items}.",
        "busy": (
            "The machine was busy (load {before} on {cores} cores at the start, {after} at the end): trust CPU ratios "
            "more than time ratios."
        ),
        "same": "The same figure on both sides.",
        "other": "Not the same figure.",
        "machine": "{cpu}, {cores} cores, {memory} GiB; {system}; load {before} at the start, {after} at the end.",
        "row": "{name}: {versions}",
        "could not": "could not be measured: {what}. {said}",
        "not asked for": "not asked for: {what}",
        "short": "{what}",
        "exponents": "exponent {value}",
    },
    CHINESE: {
        "bare": (
            "凡是以等價類為基礎的指標，都得依準識別符把列分組。衡量的尺就是只做這件事的 DuckDB，用的是產生的 Parquet 檔案：八個準識別符與一個敏感屬性。"
            "資料表小的時候，每次呼叫的固定成本比計數本身更重。"
        ),
        "elsewhere": (
            "在其他引擎裡，衡量的尺是該引擎自己的單純的查詢（`benchmarks/engines.py`，500 萬列，CPU 時間，各自的執行）。從 0.6.0 到 0.12.0，"
            "k-匿名性在 [PostgreSQL](databases.md) 由 3.9 倍降到 1.1 倍，在 [Spark](spark.md) 由 1.4 倍降到 1.1 倍；"
            "t-相似性由 12 倍降到 1.5 倍、由 7.2 倍降到 2.4 倍；完整稽核由 13 倍降到 2.0 倍、由 25 倍降到 5.8 倍。"
        ),
        "peers": (
            "所有套件都在同一次執行中、各自的環境裡執行。兩個套件計算的不是同一個數字時會註明：那就只能比較時間，以及找到了什麼。"
        ),
        "growth": (
            "秒數隨規模的冪次成長：規模加倍，時間變成 2 的指數次方倍。指數以最小平方法對所有規模的對數擬合，方括號內是各輪的最小與最大。"
            "每次呼叫的固定成本會把開頭壓平，因此旁邊另列最大兩個規模的指數。"
        ),
        "large": "在記憶體限制下處理大型資料表：放不下的部分寫入私有資料夾，再讀回來。",
        "titled": "{title}：{said}",
        "targets": (
            "專案對完整執行的要求；由中位數之比決定。把關的 {gates} 項目標中達成 {met} 項，另有 {shown} 項僅供參考。未達成的是："
        ),
        "nothing": "沒有。",
        "again": (
            "`make bench` 是簡短版（幾分鐘），`make bench-full` 是完整版（大約半小時，需要 10 GB 磁碟空間）。"
            "其他套件的環境在第一次使用時建立。究竟量測什麼、如何量測，見 `benchmarks/README.md`。"
        ),
        "ratio": "CPU 時間是 {base} 的幾倍",
        "ratio_time": "時間是 {base} 的幾倍",
        "seconds": "秒",
        "plot": "{title}：{items}。",
        "busy": (
            "當時機器忙碌（{cores} 個核心，開始時負載 {before}，結束時 {after}）：CPU 倍數比時間倍數可信。"
        ),
        "same": "雙方計算的是同一個數字。",
        "other": "不是同一個數字。",
        "machine": "{cpu}，{cores} 個核心，{memory} GiB；{system}；開始時負載 {before}，結束時 {after}。",
        "row": "{name}：{versions}",
        "could not": "無法量測：{what}。{said}",
        "not asked for": "未要求：{what}",
        "short": "{what}",
        "exponents": "指數 {value}",
    },
}

TABLE: Final[Mapping[str, Mapping[str, str]]] = {
    ENGLISH: {
        "table": "table",
        "comparison": "comparison",
        "growth": "growth",
        "contender": "contender",
        "seconds": "seconds",
        "base": "seconds, base",
        "sizes": "sizes",
        "smallest": "seconds, smallest",
        "largest": "seconds, largest",
        "time_ratio": "time ratio",
        "cpu_ratio": "CPU ratio",
        "peak_ratio": "memory ratio",
        "exponent": "exponent",
        "end": "two largest",
        "cpu_exponent": "exponent, CPU",
        "gate": "gate",
        "at_most": "at most {target}",
        "at_least": "at least {target}",
        "environment": "environment",
        "versions": "versions",
    },
    CHINESE: {
        "table": "資料表",
        "comparison": "比較",
        "growth": "成長",
        "contender": "受測程式",
        "seconds": "秒",
        "base": "基準的秒數",
        "sizes": "規模",
        "smallest": "最小規模的秒數",
        "largest": "最大規模的秒數",
        "time_ratio": "時間倍數",
        "cpu_ratio": "CPU 倍數",
        "peak_ratio": "記憶體倍數",
        "exponent": "指數",
        "end": "最大兩個",
        "cpu_exponent": "CPU 指數",
        "gate": "把關",
        "at_most": "至多 {target}",
        "at_least": "至少 {target}",
        "environment": "環境",
        "versions": "版本",
    },
}

CONTENDERS: Final[Mapping[str, str]] = {
    "bare DuckDB": "單純的 DuckDB",
    "class histogram": "等價類直方圖",
    "Profitability": "獲利力",
    "t-closeness": "t-相似性",
    "complete audit": "完整稽核",
    "bare DuckDB, a query each": "單純的 DuckDB，逐一查詢",
    "in memory": "在記憶體中",
    "mpUCCs, search": "mpUCCs，搜尋",
    "mpUCCs, whole call": "mpUCCs，整個呼叫",
    "petaudit, from the file": "petaudit，直接讀檔",
    "PETsARD, 2 columns": "PETsARD，2 欄",
    "petaudit, 2 columns": "petaudit，2 欄",
    "petaudit, all 15 columns": "petaudit，全部 15 欄",
}
"""Names of contenders that are said otherwise in Chinese."""
