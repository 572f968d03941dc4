{ SPDX-License-Identifier: BSD-2-Clause }
{ Toro: what agent/porting/toro.md uses of its unit Process. }
unit Process;

interface

type
  TThreadFunc = function(Param: Pointer): PtrInt;

function BeginThread(SecurityAttributes: Pointer; StackSize: SizeUInt; ThreadFunction: TThreadFunc;
  Parameter: Pointer; CreationFlags: DWord; var ThreadID: TThreadID): TThreadID;
function SysSuspendThread(ThreadID: TThreadID): DWord;

implementation

function BeginThread(SecurityAttributes: Pointer; StackSize: SizeUInt; ThreadFunction: TThreadFunc;
  Parameter: Pointer; CreationFlags: DWord; var ThreadID: TThreadID): TThreadID; external name 'toro_thread';
function SysSuspendThread(ThreadID: TThreadID): DWord; external name 'toro_suspend';

end.
