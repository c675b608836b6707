"""A bot's package: reading an archive or folder of strangers, its manifest, whether it compiles.

Others call `package.load`; nothing here unpacks to disk or runs a bot.
"""
