# tries: send bits by shared memory, messages and semaphores that have an id or a name
# must: play on
# walls: seccomp, namespaces
# each: shm msg sem posix
import ctypes
import os

import lib
from given import ARGUMENT

KEY = 0x63617264


class Bot(lib.Whisperer):
    def prepare(self):
        if ARGUMENT == "shm":
            lib.libc.shmat.restype = ctypes.c_void_p
            number = lib.syscall("shmget", KEY, 4096, 0o1666)
            self.word = ctypes.c_int.from_address(lib.syscall("shmat", number, 0, 0))
        elif ARGUMENT == "msg":
            self.queue = lib.syscall("msgget", KEY, 0o1666)
        elif ARGUMENT == "sem":
            self.number = lib.syscall("semget", KEY, 1, 0o1666)
        else:
            self.fd = os.open("/dev/shm/mark", os.O_RDWR | os.O_CREAT, 0o666)

    def send(self, bit):
        if ARGUMENT == "shm":
            self.word.value = bit
        elif ARGUMENT == "msg":
            lib.syscall("msgsnd", self.queue, (1 + bit).to_bytes(8, "little"), 0, 0o4000)
        elif ARGUMENT == "sem":
            lib.libc.semctl(self.number, 0, 16, bit)
        else:
            os.pwrite(self.fd, bytes([bit]), 0)

    def hear(self):
        if ARGUMENT == "shm":
            return self.word.value
        if ARGUMENT == "msg":
            message = ctypes.create_string_buffer(8)
            lib.syscall("msgrcv", self.queue, message, 0, 0, 0o4000)
            return message.raw[0] - 1
        if ARGUMENT == "sem":
            return lib.libc.semctl(self.number, 0, 12, 0)
        return os.pread(self.fd, 1, 0)[0]
