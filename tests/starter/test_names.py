"""What names of columns say."""

from __future__ import annotations

import pytest

from petaudit.starter.names import Meaning, sense_of, senses, words, words_of

IDENTIFIERS = {Meaning.IDENTIFIER, Meaning.LIKELY_IDENTIFIER, Meaning.RECORD_NUMBER}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ZIPCode", "postcode"),
        ("zip", "postcode"),
        ("postal-code", "postcode"),
        ("dob", "birth date"),
        ("BirthDate", "birth date"),
        ("date_of_birth", "birth date"),
        ("Gender", "sex"),
        ("age", "age"),
        ("age_at_diagnosis", "age"),
        ("native-country", "nationality"),
        ("salary-class", "income"),
        ("capital-gain", "wealth or debt"),
        ("diagnoses", "illness or diagnosis"),
        ("cause of death", "illness or diagnosis"),
        ("default.payment.next.month", "payment"),
        ("patientID", "number of a person"),
        ("patient_nbr", "number of a person"),
        ("firstName", "person's name"),
        ("mother's name", "person's name"),
        ("e-mail", "e-mail address"),
        ("phone_number", "telephone number"),
        ("fnlwgt", "weight in a survey"),
        ("number_of_children", "family"),
        ("userIDs", "number of a person"),
        ("ＡＧＥ", "age"),
        ("身分證字號", "national identity number"),
        ("身份证号", "national identity number"),
        ("病歷號", "patient number"),
        ("病历号", "patient number"),
        ("出生年月日", "birth date"),
        ("郵遞區號", "postcode"),
        ("邮政编码", "postcode"),
        ("診斷", "illness or diagnosis"),
        ("職業病", "illness or diagnosis"),
        ("職業", "occupation or work"),
        ("薪資", "income"),
        ("年收入", "income"),
        ("信用卡號", "card number"),
        ("信用卡額度", "wealth or debt"),
        ("國籍", "nationality"),
        ("国籍", "nationality"),
        ("國文成績", "marks or scores"),
        ("戶籍地址", "street address"),
        ("户籍", "place"),
        ("身高(公分)", "body"),
        ("补助金额", "payment"),
        ("电话费", "payment"),
        ("房屋稅", "payment"),
        ("住院天數", "length of stay"),
        ("住院日数", "length of stay"),
        ("length_of_stay", "length of stay"),
        ("住院日期", "date"),
        ("主治醫師", "physician"),
        ("主治医生", "physician"),
        ("醫師代號", "physician"),
        ("主治醫師姓名", "person's name"),
        ("就診號", "patient number"),
        ("收縮壓", "medical finding"),
        ("急診次數", "medical visits"),
        ("被保險人", "person"),
        ("被保險人性別", "sex"),
        ("申請人年齡", "age"),
        ("聯絡人關係", "family"),
        ("健保身份別", "insurance"),
        ("股票代號", "wealth or debt"),
        ("还款状态", "wealth or debt"),
        ("投票所", "place"),
        ("邻别", "place"),
        ("勞保年資", "years of service or membership"),
    ],
)
def test_a_name_says(name: str, says: str) -> None:
    sense = sense_of(name)
    assert sense is not None
    assert sense.says == says


@pytest.mark.parametrize(
    "name",
    [
        "percentage", "width", "essex", "product_name", "file", "stage", "message", "image",
        "phone_type", "has_email", "商品名稱", "電話類型", "是否有手機", "帳號狀態",
        "男性人數", "国文", "", "...", "🙂", "x" * 5_000,
    ],
)  # fmt: skip
def test_false_friends_say_nothing(name: str) -> None:
    assert sense_of(name) is None


@pytest.mark.parametrize("name", ["paid", "language", "wage", "valid", "grid", "username_length"])
def test_false_friends_are_no_identifiers_and_no_ages(name: str) -> None:
    sense = sense_of(name)
    assert sense is None or (sense.meaning not in IDENTIFIERS and sense.says != "age")


def test_a_number_of_something_is_weaker_than_the_number_of_a_person() -> None:
    meanings = [sense_of(name).meaning for name in ("product_id", "customer_id", "id", "產品編號")]  # type: ignore[union-attr]
    assert meanings == [
        Meaning.RECORD_NUMBER,
        Meaning.IDENTIFIER,
        Meaning.LIKELY_IDENTIFIER,
        Meaning.RECORD_NUMBER,
    ]


def test_every_listed_word_is_found() -> None:
    for _, texts in senses("chinese"):
        for word in texts:
            assert sense_of(word) is not None, word
    for sense, texts in senses("english"):
        for phrase in texts:
            result = sense_of(phrase)
            assert result is not None, phrase
            assert (result.meaning in IDENTIFIERS) == (sense.meaning in IDENTIFIERS), phrase


def test_the_lists_are_long_and_no_word_stands_in_two_of_them() -> None:
    chinese, english = (
        [word for _, texts in senses(language) for word in texts]
        for language in ("chinese", "english")
    )
    assert min(len(chinese), len(english)) >= 300
    assert len(set(chinese)) == len(chinese)
    twice = {word for word in english if english.count(word) > 1}
    assert twice <= {"id"}


def test_simplified_characters_stand_for_traditional_ones() -> None:
    traditional, simplified = words()["traditional"], words()["simplified"]
    assert len(simplified) == len(traditional) == len(set(traditional))
    table = str.maketrans(traditional, simplified)
    for name in ("病歷號碼", "電子郵件", "婚姻狀況", "餘額", "檢驗結果"):
        assert sense_of(name.translate(table)) == sense_of(name) is not None


def test_words() -> None:
    assert words_of("HTTPServer2Name") == ["http", "server", "2", "name"]
    assert words_of("dob出生") == ["dob"]
