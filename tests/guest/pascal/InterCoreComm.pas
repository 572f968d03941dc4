{ SPDX-License-Identifier: BSD-2-Clause }
{
  A kernel in Free Pascal in the manner of Toro, to the letter where that makes
  life hard for a profiler. On each core a thread sends numbers, sorted by it,
  to each other core and one receives and checks those of each; a core that is
  alone sends to itself.

  Options: cycles=N  ends after N cycles of the TSC (default 300000000; 0: never)
           report=N  a line on the console every N messages (default 10000)
           agent=0   without the profiler; else its ways out are in Profiler.pas
           early=1   the kernel starts the profiler, and each core joins as it
                     starts; else the main thread does, and a thread on each core
           wait=1    begin when it samples
           delay=MS  who sends calls Delay(MS) every DELAY_STEP messages
           words=N   at most so many numbers in a message, 2 to 96 (default 96)
           burst=N   threads take turns after so many messages (default 16)
           threads=1 the profiler keeps the times of threads
}
program InterCoreComm;

uses
  Arch, Memory, Console, Process, VirtIO, VirtIOBus, VirtIOVSocket, Profiler, TProf;

const
  WORDS_MAX = 96;
  FLUSH_FRAMES = 100000;
  DELAY_STEP = 256;

type
  TMessage = record
    Number, Checksum: QWord;
    Count: LongWord;
    Words: array[0..WORDS_MAX - 1] of LongWord;
  end;

  { A thread's work. }
  PTask = ^TTask;
  TTask = record
    Peer: LongWord;
    Sends: Boolean;
    Number: QWord; { messages so far }
    Random: QWord;
  end;

var
  Tasks: array[0..MAX_CPU - 1, 0..MAX_CPU - 1, Boolean] of TTask;
  Cycles, Report, Start: QWord;
  MostWords, Burst: LongWord;
  Received: TTProfCounter; { messages }
  DelayTime: LongWord;
  Delays, Shortest, Longest: array[0..MAX_CPU - 1] of QWord; { how many; TSC ticks }
  BootStacks: array[0..MAX_CPU * BOOT_STACK_SIZE - 1] of Byte;
  WithAgent, Early: Boolean;
  Joined: array[0..MAX_CPU - 1] of Boolean;
  Over: LongWord;
  Errors: LongWord;

function NextRandom(var Task: TTask): LongWord;
begin
  Task.Random := Task.Random xor (Task.Random shl 13);
  Task.Random := Task.Random xor (Task.Random shr 7);
  Task.Random := Task.Random xor (Task.Random shl 17);
  Result := Task.Random shr 32;
end;

function Checksum(const Message: TMessage): QWord;
var
  I: LongWord;
begin
  Result := Message.Number;
  for I := 0 to Message.Count - 1 do
    Result := Result * 31 + Message.Words[I];
end;

procedure SortWords(var Message: TMessage; Low, High: LongInt);
var
  I, J: LongInt;
  Middle, Swap: LongWord;
begin
  I := Low;
  J := High;
  Middle := Message.Words[(Low + High) div 2];
  repeat
    while Message.Words[I] < Middle do
      Inc(I);
    while Middle < Message.Words[J] do
      Dec(J);
    if I <= J then
    begin
      Swap := Message.Words[I];
      Message.Words[I] := Message.Words[J];
      Message.Words[J] := Swap;
      Inc(I);
      Dec(J);
    end;
  until I > J;
  if Low < J then
    SortWords(Message, Low, J);
  if I < High then
    SortWords(Message, I, High);
end;

procedure MakeMessage(var Task: TTask; var Message: TMessage);
var
  I: LongWord;
begin
  Message.Number := Task.Number;
  Message.Count := MostWords div 2 + NextRandom(Task) mod (MostWords div 2);
  for I := 0 to Message.Count - 1 do
    Message.Words[I] := NextRandom(Task);
  SortWords(Message, 0, Message.Count - 1);
  Message.Checksum := Checksum(Message);
end;

procedure CheckMessage(const Task: TTask; const Message: TMessage);
var
  I: LongWord;
begin
  if (Message.Number <> Task.Number) or (Message.Checksum <> Checksum(Message)) then
    Inc(Errors);
  for I := 1 to Message.Count - 1 do
    if Message.Words[I - 1] > Message.Words[I] then
      Inc(Errors);
end;

{ Between these tests/support/plugin_truth.c counts; see marks.h. }
procedure TruthBegin; cdecl; external name 'truth_begin';
procedure TruthEnd; cdecl; external name 'truth_end';

{ How long the profiler's interrupts took, and of how many. }
procedure ReportCost;
var
  Core: LongWord;
  Stats: TTProfStats;
begin
  for Core := 0 to CoreCount - 1 do
  begin
    Must(TProfGetStats(Core, Stats));
    WriteConsoleF('pascal: core %d, %d ticks, %d cycles, repaired %d',
                  [Core, Stats.Ticks, Stats.CostTsc, Stats.Repaired]);
  end;
end;

procedure ReportDelays;
var
  Core: LongWord;
begin
  for Core := 0 to CoreCount - 1 do
    WriteConsoleF('pascal: core %d, %d delays of %d to %d cycles',
                  [Core, Delays[Core], Shortest[Core], Longest[Core]]);
end;

{ The most that a core used of its stack before it had a thread: what was never
  written to is still zero. }
function BootStackUsed: PtrUInt;
var
  Core, Untouched: PtrUInt;
begin
  Result := 0;
  for Core := 1 to CoreCount - 1 do
  begin
    Untouched := 0;
    while BootStacks[(Core - 1) * BOOT_STACK_SIZE + Untouched] = 0 do
      Inc(Untouched);
    if BOOT_STACK_SIZE - Untouched > Result then
      Result := BOOT_STACK_SIZE - Untouched;
  end;
end;

{ The first thread that sees the time be over ends the machine. }
procedure Finish;
var
  Source, Target: LongWord;
  Messages, Took: QWord;
begin
  TruthEnd;
  Took := ReadRdtsc - Start;
  if Exchange(Over, 1) <> 0 then
    repeat
      SysThreadSwitch;
    until False;
  Messages := 0;
  for Source := 0 to CoreCount - 1 do
    for Target := 0 to CoreCount - 1 do
      Messages := Messages + Tasks[Source, Target, False].Number;
  if WithAgent then
  begin
    ReportCost;
    TProfFlush(FLUSH_FRAMES);
  end;
  if BootStackUsed = BOOT_STACK_SIZE then
    Inc(Errors);
  if DelayTime <> 0 then
    ReportDelays;
  WriteConsoleF('pascal: echoed %d bytes', [BytesEchoed]);
  WriteConsoleF('pascal: %d of %d bytes of a boot stack used',
                [BootStackUsed, BOOT_STACK_SIZE]);
  WriteConsoleF('pascal: %d cores, %d messages, %d cycles, %d errors',
                [CoreCount, Messages, Took, Errors]);
  Shutdown(Errors);
end;

procedure Receive(var Task: TTask);
var
  Message: TMessage;
begin
  RecvFrom(Task.Peer, @Message);
  CheckMessage(Task, Message);
  Inc(Task.Number);
  AddTo(Received.Units, 1);
  if Task.Number mod Report = 0 then
    WriteConsoleF('Core[%d] -> Core[%d]: %d messages', [Task.Peer, GetCoreId, Task.Number]);
end;

procedure Send(var Task: TTask);
var
  Message: TMessage;
begin
  MakeMessage(Task, Message);
  SendTo(Task.Peer, @Message, PtrUInt(@Message.Words[Message.Count]) - PtrUInt(@Message));
  Inc(Task.Number);
end;


{ Delay, and how long it took. }
procedure Pause;
var
  Began, Took: QWord;
  Core: LongWord;
begin
  Core := GetCoreId;
  Began := ReadRdtsc;
  Delay(DelayTime);
  Took := ReadRdtsc - Began;
  Inc(Delays[Core]);
  if Took > Longest[Core] then
    Longest[Core] := Took;
  if (Delays[Core] = 1) or (Took < Shortest[Core]) then
    Shortest[Core] := Took;
end;

function Thread(Param: Pointer): Int64;
var
  Task: PTask;
begin
  Result := 0;
  Task := Param;
  Inc(Errors, Comforts);
  TruthBegin;
  repeat
    if Task^.Sends then
      Send(Task^)
    else
      Receive(Task^);
    if Task^.Sends and (DelayTime <> 0) and (Task^.Number mod DELAY_STEP = 0) then
      Pause;
    if Task^.Number mod Burst = 0 then
      SysThreadSwitch; { else who never has to wait keeps the core }
    if (Cycles <> 0) and (ReadRdtsc - Start >= Cycles) then
      Finish;
  until False;
end;

{ What core 0 does besides: its threads never leave it without work. }
function IdleLoop(Param: Pointer): Int64;
begin
  Result := 0;
  while ServeSockets do
    SysThreadSwitch;
  Finish;
end;

{ The main thread's chain ends in zero, and others' in every other way. }
procedure BeginTask(Core, Peer: LongWord; Sends: Boolean);
var
  ChainEnd: TChainEnd;
begin
  with Tasks[Core, Peer, Sends] do
  begin
    ChainEnd := TChainEnd(1 + (Core + Peer + Ord(Sends)) mod 3);
    if (Core = 0) and (Peer <= 1) and Sends then
      ChainEnd := ceZero;
    Random := (Core * MAX_CPU + Peer + 1) * $9E3779B97F4A7C15;
  end;
  Tasks[Core, Peer, Sends].Peer := Peer;
  Tasks[Core, Peer, Sends].Sends := Sends;
  if Sends then
    BeginThread(Core, 'Ping', Peer, @Thread, @Tasks[Core, Peer, Sends], ChainEnd)
  else
    BeginThread(Core, 'Pong', Peer, @Thread, @Tasks[Core, Peer, Sends], ChainEnd);
end;

procedure BeginTasks;
var
  Core, Peer: LongWord;
begin
  { who has lent its timer gets it back by other cores, or by TProfPoll }
  if HasVSocket or ((DelayTime <> 0) and (CoreCount = 1)) then
    BeginThread(0, 'Sockets', 0, @IdleLoop, nil, ceZero);
  for Core := 0 to CoreCount - 1 do
    for Peer := 0 to CoreCount - 1 do
      if (Core <> Peer) or (CoreCount = 1) then
      begin
        BeginTask(Core, Peer, True);
        BeginTask(Core, Peer, False);
      end;
end;

{ Each other core, before there is memory, on a stack of 700 bytes. }
procedure OtherCore;
begin
  if WithAgent and Early then
    Must(TProfStartCpu);
  StartThreads;
end;

{ A thread of each other core. }
function Join(Param: Pointer): Int64;
begin
  Result := 0;
  Must(TProfStartCpu);
  Joined[GetCoreId] := True;
  StopThread;
end;

{ The collector then says what a message takes. }
procedure CountMessages;
begin
  Received.Name := 'messages';
  Must(TProfAddCounter(Received));
end;

procedure StartProfilerOnAllCores;
var
  Core: LongWord;
begin
  StartProfiler(False);
  if KernelOption('threads=', 0) <> 0 then
    TraceThreads;
  CountMessages;
  for Core := 1 to CoreCount - 1 do
    BeginThread(Core, 'Join', 0, @Join, nil, ceItself);
  for Core := 1 to CoreCount - 1 do
    while not Joined[Core] do
      SysThreadSwitch;
end;

{ Samples are taken on each core. }
procedure WaitForSampling;
var
  Core: LongWord;
  Stats: TTProfStats;
begin
  for Core := 0 to CoreCount - 1 do
    repeat
      Must(TProfGetStats(Core, Stats));
    until Stats.Samples <> 0;
end;

{ The program, as far as the kernel is concerned. }
function MainThread(Param: Pointer): Int64;
begin
  Result := 0;
  if WithAgent and not Early then
    StartProfilerOnAllCores;
  if WithAgent and (KernelOption('wait=', 0) <> 0) then
    WaitForSampling;
  WriteConsoleF('pascal: %d cores', [CoreCount]);
  Start := ReadRdtsc;
  BeginTasks;
  StopThread;
end;

begin
  ArchInit;
  Cycles := KernelOption('cycles=', 300000000);
  Report := KernelOption('report=', 10000);
  DelayTime := KernelOption('delay=', 0);
  MostWords := KernelOption('words=', WORDS_MAX);
  Burst := KernelOption('burst=', 16);
  if (MostWords < 2) or (MostWords > WORDS_MAX) or (Burst = 0) then
    Shutdown(1);
  WithAgent := KernelOption('agent=', 1) <> 0;
  Early := KernelOption('early=', 0) <> 0;
  if WithAgent and Early then
  begin
    StartProfiler(True);
    CountMessages;
  end;
  StartCores(@BootStacks, @OtherCore);
  MapEverything(DeviceMemory(MAP_SIZE));
  InitDrivers;
  InitBus(CoreCount);
  BeginThread(0, 'Main', 0, @MainThread, nil, ceZero);
  StartThreads;
end.
