{ SPDX-License-Identifier: BSD-2-Clause }
{
  An application for Toro in which two threads of core 0 take turns, and which counts
  the turns of the first: what do switches of threads take? See toro_story.
}
program Turns;

{$mode delphi}

uses
  Kernel, Process, Memory, Arch, Filesystem, Network, Console, Profiler, TProf;

var
  Counter: TTProfCounter;

procedure Work;
var
  I: LongInt;
  Sum: QWord;
begin
  Sum := 0;
  for I := 1 to 20 do
    Sum := Sum * 31 + I;
end;

function Turn(Param: Pointer): PtrInt;
begin
  Result := 0;
  while True do
  begin
    Work;
    ThreadSwitch;
  end;
end;

var
  Thread: TThreadID;

begin
  StartProfiler;
  Counter.Name := 'turns';
  TProfAddCounter(Counter);
  BeginThread(nil, 4096, Turn, nil, 0, Thread);
  WriteConsoleF('work 0\n', []);
  while True do
  begin
    Work;
    InterlockedExchangeAdd64(Int64(Counter.Units), 1);
    ThreadSwitch;
  end;
end.
