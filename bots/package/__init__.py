"""Packages of bots: read untrusted archives and folders, parse manifests, check the syntax.

Other packages call `package.load`; nothing here unpacks to disk or runs a bot.
"""
