"""What words in the names of columns say, in English and in Chinese.

Each line is what the words mean and the words themselves. Chinese stands in traditional characters;
names in simplified ones mean the same.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Meaning(StrEnum):
    """How a word bears on the role of its column."""

    IDENTIFIER = "names one person, however often it occurs"
    LIKELY_IDENTIFIER = "names one person unless there are only a few values"
    RECORD_NUMBER = "names one person if nearly every value is different"
    KNOWN = "may be known to an attacker"
    SENSITIVE = "must not become known"
    HARMLESS = "tells nothing about a person"


VAGUE: Final = "time"
"""What is said only if no other word says more."""
PERSONS: Final = (
    "person, people, patient, subject, participant, respondent, individual, applicant, member, "
    "customer, client, user, employee, staff, student, teacher, mother, father, parent, spouse, "
    "child, guardian, contact, owner, holder, cardholder, beneficiary, insured, doctor, physician, "
    "citizen, resident, taxpayer, borrower"
)
NUMBERS: Final = "id, no, nr, nbr, num, number, code, key, uuid"
"""After one of the persons, such a word makes the number of a person."""

ENGLISH: Final[dict[Meaning, dict[str, str]]] = {
    Meaning.IDENTIFIER: {
        "national identity number": "national id, identity number, identity card, id number, "
        "id no, id card, citizen id, ssn, social security number, social security no, nino, nric, "
        "personal number, personal id, resident id",
        "passport number": "passport, passport no, passport number",
        "driving licence": "driver license, drivers license, driver licence, driving licence, "
        "driving license, license number, licence number",
        "tax number": "tax id, tax number, tin, taxpayer id, vat number",
        "patient number": "mrn, medical record number, medical record no, chart no, chart number, "
        "hospital number, nhi card, health card, insurance number, insurance id, insured id, "
        "beneficiary id",
        "number of a person": "voter id, donor id, household id",
        "person's name": "full name, first name, last name, given name, family name, surname, "
        "forename, middle name, maiden name, nick name, login, account name, fname, lname, "
        "firstname, lastname",
        "e-mail address": "email, e mail, mail address, email address",
        "telephone number": "phone, telephone, mobile, cell phone, cellphone, phone number, "
        "mobile number, tel, fax, msisdn",
        "street address": "address, street, street address, home address, addr, house number",
        "account number": "account number, account no, account id, acct no, acct, iban, "
        "bank account",
        "card number": "card number, card no, credit card number, pan number",
        "policy number": "policy no, policy number, policy id",
        "licence plate": "license plate, licence plate, plate number, plate no, vin, "
        "vehicle number",
        "network address or device": "ip, ip address, mac address, imei, imsi, device id, "
        "cookie id, session id, url, homepage",
        "biometric": "fingerprint, face image, photo, signature, voice print, iris",
        "password": "password, passwd, secret, pin code",
        "identifier": "identifier, identifiers, uuid, guid",
    },
    Meaning.LIKELY_IDENTIFIER: {"name": "name", "number": "id, pid, uid, nid, cid"},
    Meaning.RECORD_NUMBER: {
        "record number": "record id, record no, row id, row number, index, key, serial, "
        "serial number, serial no, sequence, seq, seqno, case id, case no, case number, visit id, "
        "encounter id, admission id, order id, order no, transaction id, transaction no, "
        "claim id, claim no, invoice no, invoice number, loan id, ticket no, receipt no, hash, "
        "token",
        "number": "id, no, nbr, number",
    },
    Meaning.KNOWN: {
        "age": "age, ages, aged, age group, age range, age band",
        "birth date": "birth, dob, birthday, birth date, date of birth, birth year, born, "
        "year of birth, birth month, yob",
        "sex": "sex, gender",
        "postcode": "zip, zip code, postcode, post code, postal code, postal, plz",
        "place": "city, town, village, county, state, province, region, district, area, "
        "municipality, country, nation, place, location, residence, location code, neighbourhood, "
        "neighborhood, territory, prefecture, latitude, longitude, lat, lon, lng, geo, gps, "
        "coordinates, birthplace, place of birth, census tract",
        "nationality": "nationality, citizenship, native country, country of birth, "
        "birth country, immigrant, visa",
        "race or ethnic group": "race, ethnicity, ethnic, ethnic group, tribe, indigenous, "
        "ancestry",
        "language": "language, mother tongue, native language",
        "marital status": "marital, marital status, married, marriage, civil status, spouse",
        "family": "family, relationship, household, household size, children, kids, dependents, "
        "dependants, siblings, family size",
        "education": "education, educational, edu, degree, school, university, college, "
        "schooling, qualification, major, faculty, grade level",
        "occupation or work": "occupation, job, job title, profession, workclass, work class, "
        "employment, employer, industry, position, title, rank, company, hours per week, "
        "working hours, military service, veteran, department, dept, office",
        "date": "date, datetime, timestamp, admission, discharge, date of death, death date",
        VAGUE: "day, month, year, time",
        "hospital or ward": "hospital, clinic, provider, ward, bed, admission type",
        "physician": "physician, doctor, surgeon, attending",
        "branch": "branch, branch code, store, atm",
        "body": "height, weight, body weight, hair color, eye color, handedness",
        "vehicle or home": "car, vehicle, housing, home ownership, house type",
        "years of service or membership": "tenure, seniority, years of service, customer since",
    },
    Meaning.SENSITIVE: {
        "illness or diagnosis": "disease, diagnosis, diagnoses, diagnostic, diag, dx, icd, icd9, "
        "icd10, illness, disorder, condition, symptom, comorbidity, comorbidities, complaint, "
        "cause of death, cancer, tumor, tumour, diabetes, hiv, infection, allergy, pregnancy, "
        "pregnant, depression, psychiatric, mental, disability, disabled, injury, hypertension, "
        "stroke, smoker, smoking, alcohol, drug use, heart disease",
        "treatment": "treatment, therapy, medication, medicine, drug, drugs, prescription, "
        "surgery, procedure, operation, dose, dosage, vaccine, vaccination",
        "medical finding": "lab, lab result, test result, glucose, cholesterol, blood pressure, "
        "blood type, blood, bmi, glu, heart rate, pulse, genotype, gene, genetic, genome, dna, "
        "biopsy, prognosis, mortality, died, survival, readmitted, pathology",
        "length of stay": "length of stay, los, days in hospital, time in hospital",
        "income": "income, salary, salary class, wage, wages, pay, payroll, earnings, bonus, "
        "compensation, remuneration, pension, annuity",
        "wealth or debt": "balance, bal, savings, deposit, asset, assets, wealth, net worth, "
        "capital gain, capital gains, capital loss, capital losses, debt, loan, mortgage, "
        "liability, liabilities, credit, credit limit, credit score, credit rating, "
        "credit history, default, overdue, delinquency, delinquent, bankrupt, bankruptcy, "
        "turnover, revenue, investment, portfolio",
        "payment": "amount, amt, bill, transaction, payment, spending, expense, expenses, "
        "purchase, charges, charge, cost, costs, fee, claim, claim amount, premium, tax, taxes, "
        "price paid, subsidy, allowance, benefit, benefits, welfare, social assistance, poverty, "
        "low income",
        "crime": "crime, criminal, criminal record, conviction, offence, offense, arrest, "
        "sentence, fraud, violation, penalty, punishment",
        "belief or opinion": "religion, religious, belief, faith, political, party, vote, "
        "opinion, union membership, trade union",
        "sexual life": "sexual, sexual orientation, sexuality, sex life, sexual preference",
        "marks or scores": "score, grade, gpa, mark, marks, merit, exam, rating, performance, "
        "evaluation, iq, assessment, risk score",
        "outcome": "sensitive, outcome, target, secret answer, complaint reason, churn",
    },
    Meaning.HARMLESS: {
        "weight in a survey": "fnlwgt, survey weight, sample weight, sampling weight, "
        "final weight, weighting, weight factor",
        "technical field": "version, checksum, file name, filename, unit, currency, batch, "
        "source system, data source, etl",
    },
}

CHINESE: Final[dict[Meaning, dict[str, str]]] = {
    Meaning.IDENTIFIER: {
        "national identity number": "身分證 身分證字號 身分證號 身分證統一編號 國民身分證 "
        "統一編號 統一證號 居留證 居留證號 證件號 證件號碼 證號 社會保障號 社保號 社保卡",
        "passport number": "護照 護照號碼 護照號",
        "driving licence": "駕照 駕照號碼 駕駛執照 駕駛證",
        "tax number": "稅籍編號 納稅人識別號 扣繳單位 統編",
        "patient number": "病歷號 病歷號碼 病歷編號 病患編號 病患代號 病人編號 病人代號 患者編號 "
        "患者代號 病患ID 病人ID 患者ID 病案號 住院號 門診號 就診號 掛號號 健保卡 健保卡號 醫保卡 "
        "醫保號 就診卡",
        "number of a person": "個人編號 個案編號 受訪者編號 受試者編號 會員編號 會員代號 會員號 "
        "客戶編號 客戶代號 客戶號 顧客編號 用戶編號 使用者編號 員工編號 員工代號 職工號 工號 學號 "
        "教師編號 戶號 准考證號 客戶ID 會員ID 用戶ID 員工ID 學生ID 兵籍號碼",
        "person's name": "姓名 名字 姓氏 全名 中文名 英文名 用戶名 使用者名稱 暱稱 病患姓名 "
        "醫師姓名 醫生姓名",
        "e-mail address": "電子郵件 電子郵箱 電郵 郵箱 信箱 電子信箱",
        "telephone number": "電話 電話號碼 手機 手機號碼 手機號 行動電話 聯絡電話 聯繫方式 "
        "聯絡方式 傳真 移動電話",
        "street address": "地址 住址 通訊地址 戶籍地址 居住地址 門牌 門牌號碼 街道",
        "account number": "帳號 銀行帳號 帳戶號碼 帳戶號 存摺帳號",
        "card number": "卡號 信用卡號 信用卡卡號 銀行卡號",
        "policy number": "保單號碼 保單號 保單編號 保險證號",
        "licence plate": "車牌 車牌號碼 車牌號 牌照號碼 車身號碼 引擎號碼",
        "network address or device": "網路位址 IP位址 IP地址 設備號 裝置編號 社群帳號 微信號 網址",
        "biometric": "指紋 照片 簽名 虹膜 聲紋 人臉",
        "password": "密碼",
        "identifier": "識別碼 識別號 唯一碼",
    },
    Meaning.LIKELY_IDENTIFIER: {
        "person": "聯絡人 聯繫人 監護人 要保人 投保人 被保險人 受益人 保證人 介紹人 申請人 借款人 "
        "納稅人 負責人 代理人 承辦人 經辦人 填表人 照顧者 被害人 加害人 嫌疑人 受刑人 當事人 "
        "接觸者 業務員 理專 護理師 里長"
    },
    Meaning.RECORD_NUMBER: {
        "record number": "流水號 序號 編號 代號 案號 單號 訂單編號 交易編號 交易序號 就醫序號 "
        "收據號碼 發票號碼 申報序號 主鍵 索引 號碼",
        "number of land or a building": "地號 建號",
    },
    Meaning.KNOWN: {
        "age": "年齡 年紀 歲數 年齡層 年齡組 足歲 實歲",
        "birth date": "出生 生日 出生日期 出生年月日 出生年月 出生年 出生年份 生年月日",
        "sex": "性別",
        "postcode": "郵遞區號 郵政編碼 郵編 區號",
        "place": "縣市 鄉鎮 鄉鎮市區 行政區 地區 區域 城市 省份 省市 村里 里別 居住地 居住縣市 "
        "戶籍 戶籍地 戶口 籍貫 出生地 國家 國別 所在地 現居地 經度 緯度 位置 地點 座標 鄰 鄰別 "
        "地段 選區 學區 投票所 旅遊史",
        "nationality": "國籍 新住民 移民 簽證 外籍 外籍配偶 大陸配偶",
        "race or ethnic group": "種族 族群 民族 族別 原住民 原住民族別",
        "language": "語言 母語 族語",
        "marital status": "婚姻 婚姻狀況 婚姻狀態 婚否 配偶",
        "family": "家庭 家庭人口 子女 子女數 小孩 扶養 撫養 關係 稱謂 戶長 家戶 戶別 出生別 同住",
        "education": "教育 教育程度 學歷 學校 科系 學位 畢業 年級 班級 系所 學院 "
        "院校 專業 就學 在學",
        "occupation or work": "職業 職業別 職稱 職務 職位 職等 職級 工作 行業 行業別 產業 任職 "
        "服務單位 公司 雇主 兵役 役別 役男 部門 單位 職系 就業 失業 待業 離職",
        "insurance": "健保身分 投保類別 投保身分 保險身分 就醫身分 保險類別 保險種類 險種 醫保類型",
        "date": "日期 到職日 入院日 出院日 就診日 看診日 死亡日期 發病日 開戶日",
        VAGUE: "年月 年度 年份 月份 時間 日 年",
        "hospital or ward": "醫院 院所 科別 科室 就診科別 病房 床號 床位 診所 病床 護理站 就醫類別 "
        "醫事機構 醫療機構",
        "physician": "醫師 醫生 大夫 主治醫師 主治醫生 醫師代號 醫師代碼 醫師編號 醫生編號",
        "branch": "分行 分行別 門市 分店 營業據點",
        "body": "身高 體重",
        "vehicle or home": "車種 車款 住宅 房屋 自有住宅 居住狀況 居住年數 土地面積 坪數",
        "years of service or membership": "年資 工齡 往來年數",
    },
    Meaning.SENSITIVE: {
        "illness or diagnosis": "診斷 診斷碼 主診斷 次診斷 疾病 疾病名稱 病名 病史 病因 病情 病症 "
        "症狀 症 癌 癌症 癌別 腫瘤 慢性病 傳染病 職業病 精神病 罕見疾病 糖尿病 高血壓 心臟病 死因 "
        "死亡原因 身心障礙 障礙類別 障礙等級 殘疾 懷孕 過敏 主訴 感染 憂鬱 吸菸 吸煙 飲酒 "
        "重大傷病 失智 傷病 抽菸 抽煙 喝酒 檳榔 妊娠 共病 既往史 家族史 接觸史 身障 身障類別 "
        "身障等級 障礙程度 確診 陽性 檢疫 隔離 診斷結果",
        "treatment": "治療 用藥 藥物 藥品 藥名 處方 手術 處置 療程 劑量 疫苗 醫令 醫囑 給藥 麻醉 "
        "劑次 接種 化療 放療",
        "length of stay": "住院天數 住院日數 留院天數 加護病房天數 病房天數",
        "medical visits": "住院 住院次數 門診次數 急診次數 就醫次數 看診次數 再入院 轉院 轉診",
        "medical finding": "檢驗 檢驗結果 檢驗值 檢查結果 健檢 體檢 健康 血型 血壓 血糖 膽固醇 "
        "心率 基因 病理 預後 死亡 存活 體溫 收縮壓 舒張壓 心跳 脈搏 呼吸 血氧 腰圍 臀圍 體脂 "
        "血紅素 血色素 白血球 紅血球 血小板 肌酸酐 肌酐 三酸甘油酯 甘油三酯 尿酸 尿蛋白 肝功能 "
        "腎功能 視力 聽力 身體質量指數 出院狀況 出院情形 離院狀態 轉歸",
        "income": "薪資 薪水 薪俸 工資 月薪 年薪 收入 年收入 家庭收入 所得 所得額 獎金 退休金 "
        "年金 俸額 俸點 本俸 加給 投保金額",
        "wealth or debt": "存款 餘額 資產 財產 負債 債務 貸款 貸款金額 房貸 借款 欠款 信用 "
        "信用評分 信用評等 信用額度 額度 信用等級 違約 逾期 呆帳 投資 理財 保額 資本利得 授信 淨值 "
        "還款 月付金 利率 期數 擔保品 抵押 不動產 股票 股票代號 持股 基金 保單價值 公告現值 "
        "循環信用 延滯 警示帳戶 客戶等級 儲蓄",
        "payment": "金額 交易 交易金額 消費 消費金額 支出 費用 醫療費用 保費 稅額 稅 繳稅 補助 "
        "補助金額 津貼 低收入 低收入戶 中低收入戶 救助 理賠 理賠金額 給付 點數 "
        "費 部分負擔 自付 自付額 自費 刷卡 轉帳 提款 匯款 商店 商戶 房屋稅 福利 福利身分 中低收",
        "crime": "犯罪 前科 罪名 刑期 判決 違規 裁罰 罰款 刑案 案由 涉案 懲處 罰鍰 刑度 案類 "
        "通緝 緩刑 羈押 保護令 家暴 性侵",
        "belief or opinion": "宗教 信仰 政黨 黨籍 政治 政治面貌 投票 工會 意見",
        "sexual life": "性傾向 性取向 性生活 性向",
        "marks or scores": "成績 分數 評分 評等 考績 考核 績效 等第 智商 風險",
        "outcome": "敏感 結果 流失",
    },
    Meaning.HARMLESS: {
        "weight in a survey": "權數 加權 抽樣權數 權重",
        "technical field": "版本 單位別 幣別 批次 備用欄 匯率 資料來源",
    },
}

TRADITIONAL: Final = (
    "證號碼統編國護駕駛執稅納識繳單診門醫個會員戶顧學職師體暱聯絡監電郵話機動傳繫訊銀帳賬摺車"
    "網設備裝紋簽聲臉別齡紀歲層組實遞區縣鄉鎮貫經緯點標種語況狀態關係稱謂長養撫歷業畢級產間時"
    "開發斷腫壓臟礙殘懷過訴憂鬱菸煙飲傷類藥處術療劑囑檢驗結膽預後溫資獎額餘財負債貸違約評淨費"
    "補貼賠給罰規懲黨績權數幣據鍵營訂報帐份臺務項買購險總與無廠筆聽審檔"
    "來樣決現見訪試傾欄縮張圍紅轉歸註檳掛還擔環滯風屬價紹連帶鄰親選說應綜鍰勞離確觸專儲遊緊辦當緝緩羈脈腎匯臨"
)
SIMPLIFIED: Final = (
    "证号码统编国护驾驶执税纳识缴单诊门医个会员户顾学职师体昵联络监电邮话机动传系讯银账账折车"
    "网设备装纹签声脸别龄纪岁层组实递区县乡镇贯经纬点标种语况状态关系称谓长养抚历业毕级产间时"
    "开发断肿压脏碍残怀过诉忧郁烟烟饮伤类药处术疗剂嘱检验结胆预后温资奖额余财负债贷违约评净费"
    "补贴赔给罚规惩党绩权数币据键营订报账分台务项买购险总与无厂笔听审档"
    "来样决现见访试倾栏缩张围红转归注槟挂还担环滞风属价绍连带邻亲选说应综锾劳离确触专储游紧办当缉缓羁脉肾汇临"
)
"""The same characters: names and words are both compared in simplified ones."""
