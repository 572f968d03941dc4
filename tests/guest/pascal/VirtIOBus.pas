{ SPDX-License-Identifier: BSD-2-Clause }
{ Messages between cores, in the shape of Toro's VirtIOBus: a ring of buffers for
  each pair of cores and direction, one sender and one receiver each. }
unit VirtIOBus;

interface

const
  BUFFER_SIZE = 512;

{ Once, on core 0, before the first message. }
procedure InitBus(Cores: LongWord);

{ Waits where the ring is full. }
procedure SendTo(Core: LongWord; Buffer: Pointer; Len: LongWord);

{ Waits for a message from Core; returns its length. }
function RecvFrom(Core: LongWord; Buffer: Pointer): LongWord;

implementation

uses
  Arch, Memory, Process;

const
  QUEUE_LEN = 32;

type
  PQueue = ^TQueue;
  TQueue = record
    Sent: LongWord; { counts up; written by the sender }
    Room: LongWord; { how far it may count; written by the receiver }
    Sender, Receiver: Pointer; { threads while they wait, for the profiler }
    Len: array[0..QUEUE_LEN - 1] of LongWord;
    Buffers: array[0..QUEUE_LEN - 1] of array[0..BUFFER_SIZE - 1] of Byte;
  end;

var
  Queues: array[0..MAX_CPU - 1, 0..MAX_CPU - 1] of PQueue; { from, to }

procedure InitBus(Cores: LongWord);
var
  Source, Target: LongWord;
begin
  for Source := 0 to Cores - 1 do
    for Target := 0 to Cores - 1 do
    begin
      Queues[Source, Target] := ToroGetMem(SizeOf(TQueue));
      Queues[Source, Target]^.Room := QUEUE_LEN;
      Queues[Source, Target]^.Sender := nil;
      Queues[Source, Target]^.Receiver := nil;
    end;
end;

procedure SendTo(Core: LongWord; Buffer: Pointer; Len: LongWord);
var
  Queue: PQueue;
  Slot: LongWord;
begin
  Queue := Queues[GetCoreId, Core];
  while Queue^.Room = Queue^.Sent do
  begin
    Queue^.Sender := CurrentThread;
    WaitWhile(Queue^.Room, Queue^.Sent);
    Queue^.Sender := nil;
  end;
  Slot := Queue^.Sent mod QUEUE_LEN;
  Queue^.Len[Slot] := Len;
  CopyBytes(Buffer, @Queue^.Buffers[Slot], Len);
  Queue^.Sent := Queue^.Sent + 1; { stores keep their order on x86 }
  WakeThread(Core, Queue^.Receiver);
end;

function RecvFrom(Core: LongWord; Buffer: Pointer): LongWord;
var
  Queue: PQueue;
  Slot: LongWord;
begin
  Queue := Queues[Core, GetCoreId];
  while Queue^.Sent = Queue^.Room - QUEUE_LEN do
  begin
    Queue^.Receiver := CurrentThread;
    WaitWhile(Queue^.Sent, Queue^.Room - QUEUE_LEN);
    Queue^.Receiver := nil;
  end;
  Slot := Queue^.Room mod QUEUE_LEN;
  Result := Queue^.Len[Slot];
  CopyBytes(@Queue^.Buffers[Slot], Buffer, Result);
  Queue^.Room := Queue^.Room + 1;
  WakeThread(Core, Queue^.Sender);
end;

end.
