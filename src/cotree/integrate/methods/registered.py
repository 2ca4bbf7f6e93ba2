"""The methods of the package: all files of this folder are loaded, and those that hold methods register them."""

from cotree._folders import load_files
from cotree.integrate import methods

load_files(methods.__name__, methods.__path__)
