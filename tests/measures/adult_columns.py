"""Which columns of the reference table the published figures are about."""

ADULT_3 = ("marital-status", "native-country", "occupation")
ADULT_8 = ("age", "education", *ADULT_3, "race", "salary-class", "sex")
ADULT_9 = (*ADULT_8, "workclass")
