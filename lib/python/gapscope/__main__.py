"""python -m gapscope: the command line."""
from gapscope._program import main

main()
