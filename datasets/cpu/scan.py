# Looks for a byte that is not there in 2 MB of text, again and again.
import sys
text = open(sys.argv[1], "rb").read(2 << 20)
while True:
    text.find(b"@")
