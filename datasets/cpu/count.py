# Looks for bytes that are not there in 24 MB of text, again and again: every line once a pass.
import sys
text = open(sys.argv[1], "rb").read()
while True:
    text.count(b"@@")
