{ SPDX-License-Identifier: BSD-2-Clause }
{
  Cooperative threads, a circle of them for each core, on stacks as Toro's: 4096
  bytes of heap whose top, and so each RSP and RBP, is an odd number. Frame
  chains end in all the ways that Toro's do.
}
unit Process;

interface

type
  TThreadFunc = function(Param: Pointer): Int64;

  { How the frame chain of a thread ends. }
  TChainEnd = (ceZero, ceItself, ceGarbage, ceDevice);

{ Make Func(Param) a thread of Core, which the profiler calls Name, Core and
  Number. One core at a time calls it. }
procedure BeginThread(Core: LongWord; Name: PChar; Number: LongWord; Func: TThreadFunc;
                      Param: Pointer; ChainEnd: TChainEnd);

{ The calling core is its threads' for good; waits until it has one. }
procedure StartThreads;

{ The calling thread never runs again. }
procedure StopThread;

{ Let the core's other threads run. What it stores besides what it must is decided
  when the kernel is compiled: nothing, or what Toro has stored. }
procedure SysThreadSwitch;

{ Suspend the calling thread while Word is Value; who changes it calls WakeCore
  of this thread's core. }
procedure WaitWhile(var Word: LongWord; Value: LongWord);
procedure WakeCore(Core: LongWord);

{ WakeCore by who has changed what Thread of Core waits for. nil: none waits. }
procedure WakeThread(Core: LongWord; Thread: Pointer);
function CurrentThread: Pointer;

{ From now on the profiler keeps the times of threads. Before the threads begin. }
procedure TraceThreads;

implementation

uses
  Arch, Memory, TProf;

const
  STACK_SIZE = 4096;

type
  PThread = ^TThread;
  TThread = record
    ret_thread_sp: Pointer; { its frame, while it does not run }
    Next: PThread;
    Func: TThreadFunc;
    Param: Pointer;
    Awaited: PLongWord; { suspended while it is Expected; nil: ready }
    Expected: LongWord;
  end;

  { What SwitchStack leaves on a stack, from low to high. }
  PFrame = ^TFrame;
  TFrame = packed record
    Rbx, R12, R13, R14, R15: QWord;
    Rbp, ReturnTo: QWord;
  end;

  TCore = record
    Current: PThread;
    Boot: TThread; { what the core did before it had threads; never ready }
    Never: LongWord;
    Asleep: LongWord;
  end;

const
  TRACED_THREADS = 64;
  TRACED_WAITS = 256;
  TRACED_MEMORY = 640 * MAX_CPU + 128 * TRACED_THREADS + 192 * TRACED_WAITS;

var
  Cores: array[0..MAX_CPU - 1] of TCore;
  Traced: Boolean; { threads are known to the profiler by their addresses }

{$ASMMODE INTEL}

{
  Toro's way: RBP is the new thread's two instructions before RSP is, and what
  interrupts there sees one of each.
}
procedure SwitchStack(Save, Load: Pointer); assembler; nostackframe;
asm
  push rbp
  mov rbp, rsp
  push r15
  push r14
  push r13
  push r12
  push rbx
  mov [rdi], rbp
  mov rax, [rsi]
  mov rbp, rax
  mov rbx, [rax - 40]
  mov r12, [rax - 32]
  lea rsp, [rax - 24]
  pop r13
  pop r14
  pop r15
  pop rbp
  ret
end;

{ No thread of this kernel ends. The first switch to a thread returns to here, so
  above its frame stands no return address, but what comes behind the stack. }
procedure ThreadMain;
begin
  with Cores[GetCoreId].Current^ do
    Func(Param);
  Shutdown(1);
end;

procedure TraceThreads;
var
  Config: TTProfThreadsConfig;
  Core: LongWord;
begin
  Config.Memory := Pointer((PtrUInt(ToroGetMem(TRACED_MEMORY + 64)) + 63) and not PtrUInt(63));
  Config.Size := TRACED_MEMORY;
  Config.Threads := TRACED_THREADS;
  Config.Waits := TRACED_WAITS;
  Config.Frames := 0;
  Traced := TProfThreads(Config) = TPROF_OK;
  for Core := 0 to CoreCount - 1 do
    TProfNameIdle(PtrUInt(@Cores[Core]), 'idle');
end;

{ 'Name 1-2' for thread 2 of core 1. }
procedure NameThread(Thread: PThread; Name: PChar; Core, Number: LongWord);
var
  Text: array[0..15] of Char;
  Length: LongWord;
begin
  Length := 0;
  while (Name[Length] <> #0) and (Length < 8) do
  begin
    Text[Length] := Name[Length];
    Inc(Length);
  end;
  Text[Length] := ' ';
  Text[Length + 1] := Char(Ord('0') + Core);
  Text[Length + 2] := '-';
  Text[Length + 3] := Char(Ord('0') + Number);
  Text[Length + 4] := #0;
  TProfName(PtrUInt(Thread), @Text);
end;

procedure BeginThread(Core: LongWord; Name: PChar; Number: LongWord; Func: TThreadFunc;
                      Param: Pointer; ChainEnd: TChainEnd);
var
  Thread: PThread;
  Frame: PFrame;
begin
  Thread := ToroGetMem(SizeOf(TThread));
  Frame := ToroGetMem(STACK_SIZE) + STACK_SIZE - 1 - SizeOf(TFrame);
  Frame^.ReturnTo := PtrUInt(@ThreadMain);
  case ChainEnd of
    ceZero: Frame^.Rbp := 0;
    { ThreadMain pushes it just where it points to }
    ceItself: Frame^.Rbp := PtrUInt(@Frame^.ReturnTo);
    ceGarbage: Frame^.Rbp := $4000000001; { mapped, and no memory }
    ceDevice: Frame^.Rbp := $FEB00E70; { a virtio device's registers }
  end;
  Thread^.ret_thread_sp := @Frame^.Rbp;
  Thread^.Func := Func;
  Thread^.Param := Param;
  if Traced then
    NameThread(Thread, Name, Core, Number);
  with Cores[Core].Boot do
  begin
    Thread^.Next := Next;
    Next := Thread; { from now on the core may run it }
  end;
  WakeCore(Core);
end;

function IsReady(Thread: PThread): Boolean;
begin
  Result := (Thread^.Awaited = nil) or (Thread^.Awaited^ <> Thread^.Expected);
end;

{ The next that can run, the current one last; nil: none. }
function NextReady(var Core: TCore): PThread;
var
  First: PThread;
begin
  First := Core.Current^.Next;
  Result := First;
  repeat
    if IsReady(Result) then
      Exit;
    Result := Result^.Next;
  until Result = First;
  Result := nil;
end;

{ Say that the core leaves thread Left, which is blocked or has yielded. }
procedure TraceSwitch(Left: PThread; Next: Pointer);
begin
  if Left^.Awaited <> nil then
    TProfSwitch(PtrUInt(Left), PtrUInt(Next), TPROF_BLOCKED)
  else
    TProfSwitch(PtrUInt(Left), PtrUInt(Next), TPROF_READY);
end;

{ Sleep until a thread can run. }
function Idle(var Core: TCore): PThread;
begin
  if Traced then
    TraceSwitch(Core.Current, @Core);
  repeat
    DisableInt;
    Core.Asleep := 1;
    Fence; { who changes what we wait for looks at Asleep after that }
    Result := NextReady(Core);
    if Result = nil then
      Hlt;
  until Result <> nil;
  Core.Asleep := 0;
  if Traced then
    TProfSwitch(PtrUInt(@Core), PtrUInt(Result), TPROF_READY);
  EnableInt;
end;

procedure Scheduling(Candidate: PThread);
var
  Core: ^TCore;
  Left: PThread;
begin
  Core := @Cores[GetCoreId];
  if Candidate = nil then
    Candidate := Idle(Core^)
  else if Traced then
    TraceSwitch(Core^.Current, Candidate);
  Candidate^.Awaited := nil;
  Left := Core^.Current;
  Core^.Current := Candidate;
  if Left <> Candidate then
    SwitchStack(@Left^.ret_thread_sp, @Candidate^.ret_thread_sp);
end;

{
  Toro's story: until its commit 9a8bddb this procedure stored every register
  (-dSTORES_ALL), and then those that a call must not change, and two more
  (-dSTORES_FEW). Here SwitchStack has stored what it must; the stores are for a
  profile to find.
}
procedure SysThreadSwitch;
begin
{$IF DEFINED(STORES_ALL)}
  asm
    push rax
    push rbx
    push rcx
    push rdx
    push rdi
    push rsi
    push r8
    push r9
    push r10
    push r11
    push r12
    push r13
    push r14
    push r15
  end;
{$ELSEIF DEFINED(STORES_FEW)}
  asm
    push rbx
    push rdi
    push rsi
    push r12
    push r13
    push r14
    push r15
  end;
{$ENDIF}
  Scheduling(NextReady(Cores[GetCoreId]));
{$IF DEFINED(STORES_ALL)}
  asm
    pop r15
    pop r14
    pop r13
    pop r12
    pop r11
    pop r10
    pop r9
    pop r8
    pop rsi
    pop rdi
    pop rdx
    pop rcx
    pop rbx
    pop rax
  end;
{$ELSEIF DEFINED(STORES_FEW)}
  asm
    pop r15
    pop r14
    pop r13
    pop r12
    pop rsi
    pop rdi
    pop rbx
  end;
{$ENDIF}
end;

procedure WaitWhile(var Word: LongWord; Value: LongWord);
begin
  with Cores[GetCoreId].Current^ do
  begin
    Expected := Value;
    Awaited := @Word;
  end;
  SysThreadSwitch;
end;

procedure WakeCore(Core: LongWord);
begin
  Fence; { pairs with the one in Idle }
  if (Cores[Core].Asleep <> 0) and (Exchange(Cores[Core].Asleep, 0) <> 0) then
    SendInterCore(Core);
end;

procedure WakeThread(Core: LongWord; Thread: Pointer);
begin
  if Traced and (Thread <> nil) then
    TProfWake(PtrUInt(Thread));
  WakeCore(Core);
end;

function CurrentThread: Pointer;
begin
  Result := Cores[GetCoreId].Current;
end;

procedure StartThreads;
begin
  EnableInt;
  SysThreadSwitch;
end;

procedure StopThread;
begin
  with Cores[GetCoreId] do
    WaitWhile(Never, 0);
end;

procedure InitCores;
var
  I: LongWord;
begin
  for I := 0 to MAX_CPU - 1 do
    with Cores[I] do
    begin
      Current := @Boot;
      Boot.Next := @Boot;
      Boot.Awaited := @Never;
    end;
end;

initialization
  InitCores;

end.
