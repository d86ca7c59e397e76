"""Writes four public tables, split by columns over two clients and a server, to the folder given: pip install statsmodels scikit-learn pandas.

breast cancer and diabetes are from scikit-learn (UCI; Efron et al. 2004), star98 and randhie from statsmodels (Gill 2000; RAND health insurance
experiment, of which every fifth row is taken).
"""
import pathlib
import sys

import sklearn.datasets
import statsmodels.api as sm


def write(folder, parties):
    for party, table in parties.items():
        path = pathlib.Path(sys.argv[1]) / folder / f"{party}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        table = table.copy()
        table.insert(0, "id", range(1, len(table) + 1))
        table.to_csv(path, index=False)


cancer = sklearn.datasets.load_breast_cancer(as_frame=True)
x = cancer.data
write("cancer", {
    "registry": cancer.target.to_frame("y"),
    "clinic": x[["mean texture", "mean smoothness", "mean symmetry"]],
    "laboratory": x[["mean radius", "mean concavity", "texture error"]],
})

diabetes = sklearn.datasets.load_diabetes(as_frame=True, scaled=False)
x = diabetes.data
write("diabetes", {
    "registry": diabetes.target.div(100).to_frame("y"),
    "clinic": x[["age", "sex", "bmi", "bp"]],
    "laboratory": x[["s1", "s2", "s3", "s4", "s5", "s6"]],
})

star = sm.datasets.star98.load_pandas().data
star["n"] = (star.NABOVE + star.NBELOW).astype(int)
star["y"] = star.NABOVE.astype(int)
write("star98", {
    "registry": star[["y", "n"]],
    "clinic": star[["LOWINC", "PERASIAN", "PERBLACK", "PERHISP"]],
    "laboratory": star[["AVYRSEXP", "AVSALK", "PERSPENK", "PTRATIO"]],
})

rand = sm.datasets.randhie.load_pandas().data.iloc[::5].reset_index(drop=True)
rand["y"] = rand.mdvis.astype(int)
write("randhie", {
    "registry": rand[["y"]],
    "clinic": rand[["physlm", "disea", "hlthg", "hlthf", "hlthp"]],
    "laboratory": rand[["lncoins", "idp", "lpi", "fmde"]],
})
