"""Packages of bots: read archives and folders of strangers, parse manifests, check the syntax.

Other packages call `package.load`; nothing here unpacks to disk or runs a bot.
"""
