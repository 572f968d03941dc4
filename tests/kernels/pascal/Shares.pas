{ SPDX-License-Identifier: BSD-2-Clause }
{
  A program for Toro, of which is known where the time goes. On core 0 the
  procedures Large, Middle and Small take 70, 20 and 10 % of what the three take
  together; on other cores, 10, 20 and 70 %. Two threads on each core take turns.
  Core 0 prints how many rounds it makes in 500,000,000 ticks of the TSC.
}
program Shares;

{$mode delphi}

uses
  Kernel, Process, Memory, Arch, Filesystem, Network, Console, Profiler;

const
  MOST = 700;
  SOME = 200;
  LEAST = 100;
  PERIOD = 500000000;

var
  Sums, Rounds: array[0..MAX_CPU - 1] of QWord;

{ Three procedures with the same code: one step is a few instructions. }

procedure Large(Core, Steps: LongInt);
var
  I: LongInt;
begin
  for I := 1 to Steps do
    Sums[Core] := Sums[Core] * 31 + I;
end;

procedure Middle(Core, Steps: LongInt);
var
  I: LongInt;
begin
  for I := 1 to Steps do
    Sums[Core] := Sums[Core] * 31 + I;
end;

procedure Small(Core, Steps: LongInt);
var
  I: LongInt;
begin
  for I := 1 to Steps do
    Sums[Core] := Sums[Core] * 31 + I;
end;

procedure Mix(Core, LargeSteps, SmallSteps: LongInt);
begin
  Large(Core, LargeSteps);
  Middle(Core, SOME);
  Small(Core, SmallSteps);
  Inc(Rounds[Core]);
end;

{ The other thread of each core. }
function Partner(Param: Pointer): PtrInt;
begin
  Result := 0;
  while True do
    ThreadSwitch;
end;

function Worker(Param: Pointer): PtrInt;
var
  Thread: TThreadID;
begin
  Result := 0;
  BeginThread(nil, 4096, Partner, nil, GetCoreId, Thread);
  while True do
  begin
    Mix(GetCoreId, LEAST, MOST);
    ThreadSwitch;
  end;
end;

procedure WorkAndTell;
var
  Began, Before: QWord;
begin
  Began := read_rdtsc;
  Before := Rounds[0];
  while read_rdtsc - Began < PERIOD do
  begin
    Mix(0, MOST, LEAST);
    ThreadSwitch;
  end;
  WriteConsoleF('Shares: %d rounds\n', [Rounds[0] - Before]);
end;

var
  Core: LongInt;
  Thread: TThreadID;

begin
  StartProfiler;
  for Core := 1 to CPU_COUNT - 1 do
    BeginThread(nil, 4096, Worker, nil, Core, Thread);
  BeginThread(nil, 4096, Partner, nil, 0, Thread);
  while True do
    WorkAndTell;
end.
