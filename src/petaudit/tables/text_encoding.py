"""How the text of a file is encoded, where nobody says so and it is not UTF-8.

A guess that is wrong is worse than a question. So an encoding is taken by itself only where the
text that it gives is made of common characters and no other encoding gives a text like that;
otherwise it is named in the error.
"""

from __future__ import annotations

import codecs
import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from petaudit.errors import InputError, OptionError, Phrase, argument, phrase
from petaudit.tables._private_folder import private_folder, temporary_room
from petaudit.tables.engines.duckdb import fresh_name

_MARKS: Final = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""The longer ones first: one of them begins like another."""
_BLOCK: Final = 4 << 20
_SAMPLE: Final = 1 << 18
_START: Final = 1 << 12
_COMMON: Final = frozenset(
    # The commonest characters of Chinese text, traditional and simplified,
    "的一是不了人我在有他這這為之大來以個中上們到說國和地也子時道出而要於就下得可你年生自會那後能對"
    "著事其裡所去行過家十用發天如然作方成者多日都三小軍二無同麼經法當起與好看學進種將還分此心前面"
    "又定見只主沒公從知使想理老情動現全面長高意外間新手問市點月次己本氣力正名已機明理性加工開重實"
    "體女男王張李陳林黃吳劉蔡楊許鄭謝郭洪曾邱廖賴周徐蘇葉莊呂江何蕭羅簡鍾彭游詹胡施沈余趙盧梁顏柯"
    "翁魏孫戴范方宋鄧杜侯曹薛丁傅卓馬阮潘董唐温溫紀石姚連馮歐程湯康田白塗涂古姜"
    "这为来个们说国时会后对里过发无么经当与学进种将还从没动现长间问点机实体张陈黄吴刘杨许郑谢郭"
    "卢颜孙范邓马温纪连冯欧汤苏叶庄吕萧罗简锺钟赖"
    # and the words of tables about people.
    "姓名性別别出生日期年齡龄身分證证字號号電电話话手機地址縣县市區区鄉乡鎮镇村里鄰路街巷弄樓楼室郵邮遞递"
    "區码碼職职業业學历歷婚姻狀状況况未已離离喪偶教育程度大專专碩硕博士高中國初小收入薪資资所得元萬万"
    "千百十零一二三四五六七八九廿金額额費费用支出總总計计合數数量單单位編编備备註注日期時间間"
    "台臺北南東东西部新桃園园竹苗栗彰化投雲云林嘉義义屏宜蘭兰花蓮莲澎湖門门祖連基隆中山正信安萬松內湖"
    "士文港京上海天津重慶庆河廣广州深圳蘇苏杭江浙福建省四川湖陝陕甘寧宁夏青遼辽吉黑龍龙香特"
    "醫医院科內外婦妇產产兒儿骨眼耳鼻喉皮膚肤精神經经復复健牙急診诊斷断病歷历患者住院門疾症炎癌腫肿瘤"
    "高低血壓压糖尿肺肝腎肾胃腸肠心臟脏腦脑中風风氣喘憂忧鬱郁折傷伤感染藥药治療疗手術术檢检查結结果"
    "銀银行帳账戶户存款貸贷信用卡保險险公司企業机機關关政府部局處处課课組组長长師师員员教授生學校"
    "是否有無无不詳详其他正常異异良好優优差等級级類类型別种種代表年月週周日時时分秒春夏秋冬"
    "淑芬俊傑杰怡君志明雅婷家豪美玲建宏佩珊冠宇惠麗丽秀英玉珍華华國忠文雄偉伟强強德勝胜承恩宗翰柏翔"
    "宜庭詩诗涵欣妤思穎颖郁雯芳慧貞贞素娟碧霞月娥桂春金木水火土清輝辉榮荣昌盛福壽寿祥瑞嘉玲彥彦廷"
    "哲瑋玮銘铭凱凯鈞钧浩軒轩子晴品妍宥睿敏静靜婉如萱蓉倩洋磊勇艷艳娜丽伟芳敏军超平刚"
    "東南西北左右上下前後后內外紅红黃白黑綠绿藍蓝紫灰紙纸書书車车船飛飞機火站店商品價价格買买賣卖"
)
_KANA: Final = range(0x3041, 0x30FF)
_HANGUL: Final = frozenset(
    "이가은는을를의에서로와과도다하고지자사시기인아정대부전한수일어나라해그들있것보주제상공면원성"
    "김박최조강윤장임오신권황안송류홍남여자별주소호번전화생년월일성명구동로길서울부산대구인천광주"
)
_PUNCTUATION: Final = frozenset(
    "　，。、：；（）「」『』！？．～－＊％／·《》〈〉【】＿＋＝＜＞＆＃＠"
)
_WESTERN: Final = frozenset(
    "àâäáãåçéèêëíìîïñóòôöõøúùûüæœßÀÂÄÁÃÅÇÉÈÊËÍÌÎÏÑÓÒÔÖÕØÚÙÛÜÆŒ’‘“”–—€°ºª«»…"
)
_FOREIGN_MARKS: Final = re.compile(r"[^\x00-\x7f]")
_AMONG_LETTERS: Final = re.compile(
    r"(?<=[A-Za-z])[^\x00-\x7f]{1,2}(?![^\x00-\x7f])"
    r"|(?<![^\x00-\x7f])[^\x00-\x7f]{1,2}(?=[A-Za-z])"
)
"""One or two with a plain letter before or behind them; Chinese has longer rows, and no letters."""
_SAME_AS_WESTERN: Final = ("latin-1", "iso8859-15", "cp1250", "cp1254", "cp1257")
_FEWEST: Final = 8
"""Characters of Chinese, without which nothing is certain."""
_UNLIKELY: Final = 0.15
_LIKELY: Final = 0.35
_VERY_LIKELY: Final = 0.6
"""Shares of common characters: where a decoding is wrong, they are rare."""


class Guess(NamedTuple):
    """An encoding that a file may have."""

    encoding: str
    title: str
    is_certain: bool


class _Script(NamedTuple):
    title: str
    encodings: tuple[str, ...]
    """The first that reads the whole file is taken: later ones have more characters."""
    common: frozenset[str]


_SCRIPTS: Final = (
    _Script("Big5", ("big5", "cp950", "big5hkscs"), _COMMON),
    _Script("GB18030", ("gb18030",), _COMMON),
    _Script("Shift-JIS", ("cp932",), frozenset(map(chr, _KANA))),
    _Script("EUC-JP", ("euc_jp",), frozenset(map(chr, _KANA))),
    _Script("EUC-KR", ("cp949",), _HANGUL),
)
_CHINESE: Final = ("Big5", "GB18030")


def utf8_text(path: Path, shown: Path, encoding: str | None) -> tuple[Path, Phrase | None]:
    """The file, or its text in UTF-8 in a folder of our own; with a note where that was a guess."""
    if encoding is not None:
        return as_utf8(path, shown, encoding), None
    with path.open("rb") as file:
        start = file.read(_START)
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
    if marked is not None:
        return as_utf8(path, shown, marked), None
    if b"\0" in start and _is_wide(start):
        name = "utf-16-be" if start[:1] == b"\0" else "utf-16-le"
        raise InputError(
            "{path}: this looks like UTF-16 without its mark: {argument}",
            path=shown,
            argument=argument("encoding", name),
        )
    if _is_utf8(path):
        return path, None
    guess = guess_encoding(path)
    if guess is None:
        raise undecodable(path, shown)
    if not guess.is_certain:
        raise undecodable(path, shown, guess)
    note = phrase(
        "{file} is not UTF-8 and was read as {title}, which it looks like; {argument} says so, and "
        "another encoding can be given in the same way",
        file=shown.name,
        title=guess.title,
        argument=argument("encoding", guess.encoding),
    )
    return as_utf8(path, shown, guess.encoding), note


def as_utf8(path: Path, shown: Path, encoding: str) -> Path:
    """The file, or its text in UTF-8 in a folder of our own."""
    try:
        wanted = codecs.lookup(encoding)
        # Python's registry also holds transformations, such as base64, that give no text.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except LookupError:
        raise OptionError(
            "unknown encoding {encoding!r}; for example utf-8 or big5", encoding=encoding
        ) from None
    if wanted.name == "utf-8":
        return path
    target = private_folder() / f"{fresh_name()}-utf8.csv"
    try:
        with (
            temporary_room(),
            path.open(encoding=wanted.name, newline="") as source,
            target.open("w", encoding="utf-8", newline="") as sink,
        ):
            shutil.copyfileobj(source, sink)
    except UnicodeError as problem:
        raise InputError(
            "{path}: cannot be decoded as {encoding} ({reason})",
            path=shown,
            encoding=encoding,
            reason=problem,
        ) from None
    return target


def _is_wide(start: bytes) -> bool:
    """Whether every other byte is mostly zero, as in UTF-16 of mostly Latin letters."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    return max(even, odd) > len(start) / 4 and min(even, odd) < len(start) / 50


def _is_utf8(path: Path) -> bool:
    return _decodes(path, "utf-8")


def _decodes(path: Path, encoding: str) -> bool:
    """Whether the whole file can be decoded."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                # Plain ASCII is the same in all encodings that are tried.
                if not block.isascii() or decoder.getstate()[0]:
                    decoder.decode(block)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def guess_encoding(path: Path) -> Guess | None:
    """What a file that is not UTF-8 is probably encoded in."""
    with path.open("rb") as file:
        sample = b"".join(_foreign_lines(file))
    likeness: dict[str, tuple[float, int, str]] = {}
    for script in _SCRIPTS:
        encoding = next((name for name in script.encodings if _decodes(path, name)), None)
        if encoding is not None:
            share, many = _share(sample.decode(encoding), script)
            likeness[script.title] = (share, many, encoding)
    western = _western(path, sample)
    if not likeness:
        return western
    title, (share, many, encoding) = max(likeness.items(), key=lambda entry: entry[1][0])
    others = max((score[0] for name, score in likeness.items() if name != title), default=0.0)
    if western is not None and share < _VERY_LIKELY:
        return western._replace(is_certain=western.is_certain and share < _UNLIKELY)
    if share < _LIKELY:
        return None
    is_certain = title in _CHINESE and many >= _FEWEST and others < _UNLIKELY and western is None
    return Guess(encoding, title, is_certain)


def _foreign_lines(file: io.BufferedReader) -> Iterator[bytes]:
    """The first lines that are not plain ASCII."""
    read = 0
    for line in file:
        if not line.isascii():
            yield line
            read += len(line)
        if read > _SAMPLE:
            return


def _share(text: str, script: _Script) -> tuple[float, int]:
    """The share of common characters among those that are not plain, and how many there are."""
    foreign = [mark for mark in text if not mark.isascii() and mark not in _PUNCTUATION]
    if not foreign:
        return 0.0, 0
    return sum(mark in script.common for mark in foreign) / len(foreign), len(foreign)


def _western(path: Path, sample: bytes) -> Guess | None:
    """Windows' Western code page, where single letters with accents stand among plain ones."""
    if not _decodes(path, "cp1252"):
        return None
    text = sample.decode("cp1252")
    if not all(mark.isascii() or mark in _WESTERN for mark in text):
        return None
    marks, alone = _FOREIGN_MARKS.findall(text), _AMONG_LETTERS.findall(text)
    if sum(map(len, alone)) < len(marks):
        return None

    def same(encoding: str) -> bool:
        try:
            return sample.decode(encoding) == text
        except UnicodeDecodeError:
            return False

    return Guess("cp1252", "Windows-1252", all(map(same, _SAME_AS_WESTERN)))


def undecodable(path: Path, shown: Path, guess: Guess | None = None) -> InputError:
    """Say in which line the first byte stands that is not UTF-8, and what the file looks like."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as problem:
                byte, place = line[problem.start], problem.start + 1
                if guess is not None:
                    return InputError(
                        "{path}, line {line}: byte {place} of the line (0x{byte:02x}) is not UTF-8 "
                        "text; this looks like {title}: {argument}",
                        path=shown,
                        line=number,
                        place=place,
                        byte=byte,
                        title=guess.title,
                        argument=argument("encoding", guess.encoding),
                    )
                return InputError(
                    "{path}, line {line}: byte {place} of the line (0x{byte:02x}) is not UTF-8 "
                    "text; give the file's encoding (for example {argument}), or convert it",
                    path=shown,
                    line=number,
                    place=place,
                    byte=byte,
                    argument=argument("encoding", "big5", "cp1252"),
                )
    return InputError("{path}: is not UTF-8 text", path=shown)
