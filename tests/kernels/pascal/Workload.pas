{ SPDX-License-Identifier: BSD-2-Clause }
{
  What workload.h says, as an application for Toro. Core 0 does that work, and two
  threads take turns on each core: core 0 switches after each work, every other core
  after each call of ten.
}
program Workload;

{$mode delphi}

uses
  Kernel, Process, Memory, Arch, Filesystem, Network, Console, TProf, Profiler;

const
  ROUNDS = 800;

{ Three procedures with the same code: one step is a few instructions. }

procedure seventy;
var
  I: LongInt;
  Sum: QWord;
begin
  Sum := 0;
  for I := 1 to 70000 do
    Sum := Sum * 31 + I;
end;

procedure twenty;
var
  I: LongInt;
  Sum: QWord;
begin
  Sum := 0;
  for I := 1 to 20000 do
    Sum := Sum * 31 + I;
end;

procedure ten;
var
  I: LongInt;
  Sum: QWord;
begin
  Sum := 0;
  for I := 1 to 10000 do
    Sum := Sum * 31 + I;
end;

procedure cpu_loop;
var
  Round: LongInt;
begin
  for Round := 1 to ROUNDS do
  begin
    seventy;
    twenty;
    ten;
  end;
end;

function Turn(Param: Pointer): PtrInt;
begin
  Result := 0;
  TProfName(PtrUInt(GetCurrentThread), 'Turn');
  while True do
  begin
    if GetCoreId <> 0 then
      ten;
    ThreadSwitch;
  end;
end;

var
  Core: LongInt;
  Thread: TThreadID;
  Before: QWord;

begin
  StartProfiler;
  TProfName(PtrUInt(GetCurrentThread), 'main');
  for Core := 0 to CPU_COUNT - 1 do
  begin
    BeginThread(nil, 4096, Turn, nil, Core, Thread);
    BeginThread(nil, 4096, Turn, nil, Core, Thread);
  end;
  while True do
  begin
    Before := read_rdtsc;
    cpu_loop;
    WriteConsoleF('work %d\n', [read_rdtsc - Before]);
    ThreadSwitch;
  end;
end.
