{ SPDX-License-Identifier: BSD-2-Clause }
{
  The driver that claims every virtio-serial device, with the queues of its
  first port and no others, as Toro's. The first device is the console.
}
unit VirtIOConsole;

interface

const
  LINE_SIZE = 256;

{ Claim each device but the one at Spare; 0: each. Once, on core 0. }
procedure InitConsole(Spare: QWord);

{ Is there a console? }
function HasConsole: Boolean;

{ At most LINE_SIZE bytes; returns when the device has read them. One caller at a
  time, with interrupts off. }
procedure SendLine(Line: Pointer; Length: LongWord);

implementation

uses
  Arch, VirtIO;

const
  KIND_CONSOLE = 3;
  RECEIVE_QUEUE = 0;
  SEND_QUEUE = 1;

type
  TLine = array[0..LINE_SIZE - 1] of Byte;
  PLines = ^TLines;
  TLines = array[0..QUEUE_LEN - 1] of TLine;

var
  Sending: TVirtQueue; { of the first }
  Lines: PLines;       { its buffers; nil: there is no console }
  Next: LongWord;

{ What comes is not looked at, and so ends where the buffers do. }
procedure Claim(Base: QWord);
var
  Received: TVirtQueue;
  Sent: TVirtQueue;
  Buffers: PLines;
  I: LongWord;
begin
  if not BeginDevice(Base) then
    Exit;
  InitQueue(Received, Base, RECEIVE_QUEUE, DeviceMemory(SizeOf(TLines)), LINE_SIZE, True);
  Buffers := DeviceMemory(SizeOf(TLines));
  InitQueue(Sent, Base, SEND_QUEUE, Buffers, LINE_SIZE, False);
  StartDevice(Base);
  for I := 0 to QUEUE_LEN - 1 do
    AddBuffer(Received, I);
  Kick(Received);
  if Lines <> nil then
    Exit;
  Sending := Sent;
  Lines := Buffers;
end;

procedure InitConsole(Spare: QWord);
var
  Base: QWord;
begin
  Base := NextDevice(KIND_CONSOLE, 0);
  while Base <> 0 do
  begin
    if Base <> Spare then
      Claim(Base);
    Base := NextDevice(KIND_CONSOLE, Base);
  end;
end;

function HasConsole: Boolean;
begin
  Result := Lines <> nil;
end;

procedure SendLine(Line: Pointer; Length: LongWord);
var
  Unused: LongWord;
begin
  CopyBytes(Line, @Lines^[Next], Length);
  AddMessage(Sending, Next, Length);
  Kick(Sending);
  while Reap(Sending, Unused) < 0 do
    ;
  Next := (Next + 1) mod QUEUE_LEN;
end;

end.
