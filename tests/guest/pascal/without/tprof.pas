{ SPDX-License-Identifier: BSD-2-Clause }
{
  What a kernel compiles with in place of agent/pascal/tprof.pas where it has no
  profiler in it: the names of that unit which the kernels of this folder use. No
  call does anything, and nothing of libtprof is linked.
}
unit TProf;

interface

const
  TPROF_OK = 0;
  TPROF_ERR_CLOSED = -10;
  TPROF_CHANNEL_ONE_WAY = 1;
  TPROF_CHANNEL_IRQ_SAFE = 2;
  TPROF_BUS_MMIO = 1;
  TPROF_CPU_GS = 1;
  TPROF_BLOCKED = 0;
  TPROF_READY = 1;

type
  TTProfChannel = record
    Flags: LongWord;
    Context: Pointer;
    Open: function(Context: Pointer): LongInt; cdecl;
    Send: function(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
    Pending: function(Context: Pointer): LongWord; cdecl;
    Receive: function(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
  end;
  TTProfStats = record
    Ticks, Samples, CostTsc, Repaired: QWord;
  end;
  TTProfThreadsConfig = record
    Memory: Pointer;
    Size: PtrUInt;
    Threads, Waits, Frames: LongWord;
  end;
  TTProfCounter = record
    Name: PChar;
    Units: QWord;
  end;

var
  TProfSettings: record
    Device: record
      Address: QWord;
      Bus: LongWord;
    end;
    Channel, Transport, Lending: Pointer;
    RateHz, CpuSource: LongWord;
    Seed, TscHz: QWord;
  end;
  TProfDebugcon, TProfUart, TProfLendTimer: Byte;

function TProfStart(Memory: Pointer; MemorySize: PtrUInt; Stacks: Pointer;
                    StacksSize: PtrUInt; CommandLine: PChar): LongInt;
function TProfStartCpu: LongInt;
procedure TProfPoll;
function TProfFlush(Frames: LongWord): LongInt;
function TProfAddCounter(constref Counter: TTProfCounter): LongInt;
function TProfGetStats(Core: LongWord; out Stats: TTProfStats): LongInt;
function TProfStrError(Error: LongInt): PChar;
function TProfThreads(constref Config: TTProfThreadsConfig): LongInt;
procedure TProfName(Id: QWord; Name: PChar);
procedure TProfNameIdle(Id: QWord; Name: PChar);
procedure TProfSwitch(From, To_: QWord; Why: LongWord);
procedure TProfWake(Id: QWord);

implementation

const
  NoText: PChar = 'no profiler';

function TProfStart(Memory: Pointer; MemorySize: PtrUInt; Stacks: Pointer;
                    StacksSize: PtrUInt; CommandLine: PChar): LongInt;
begin
  Result := TPROF_OK;
end;

function TProfStartCpu: LongInt;
begin
  Result := TPROF_OK;
end;

procedure TProfPoll;
begin
end;

function TProfThreads(constref Config: TTProfThreadsConfig): LongInt;
begin
  Result := TPROF_OK;
end;

procedure TProfName(Id: QWord; Name: PChar);
begin
end;

procedure TProfNameIdle(Id: QWord; Name: PChar);
begin
end;

procedure TProfSwitch(From, To_: QWord; Why: LongWord);
begin
end;

procedure TProfWake(Id: QWord);
begin
end;

function TProfFlush(Frames: LongWord): LongInt;
begin
  Result := 0;
end;

function TProfAddCounter(constref Counter: TTProfCounter): LongInt;
begin
  Result := TPROF_OK;
end;

function TProfGetStats(Core: LongWord; out Stats: TTProfStats): LongInt;
begin
  Stats.Ticks := 0;
  Stats.Samples := 1; { nobody waits for samples }
  Stats.CostTsc := 0;
  Stats.Repaired := 0;
  Result := TPROF_OK;
end;

function TProfStrError(Error: LongInt): PChar;
begin
  Result := NoText;
end;

end.
