{ SPDX-License-Identifier: BSD-2-Clause }
{
  Virtio devices in memory, version 2 and QEMU's default, legacy version 1, as
  Toro finds them: by the kernel's command line. Polled: no device interrupts.
  The device is trusted, as a kernel trusts the machine that it runs on.
}
unit VirtIO;

interface

const
  QUEUE_LEN = 16; { descriptors of a queue }

type
  {$PACKRECORDS C}
  TDescriptor = record
    Address: QWord;
    Length: LongWord;
    Flags, Next: Word;
  end;

  { Shared with the device. Indices count up and wrap; each descriptor has its
    buffer for good, so its number says which buffer it is. }
  PRings = ^TRings;
  TRings = record
    Descriptors: array[0..QUEUE_LEN - 1] of TDescriptor;
    Available: record
      Flags, Index: Word; { the driver's }
      Ids: array[0..QUEUE_LEN - 1] of Word;
    end;
    Gap: array[1..4096 - 4 - 18 * QUEUE_LEN] of Byte; { legacy: a page begins }
    Used: record
      Flags, Index: Word; { the device's }
      Elements: array[0..QUEUE_LEN - 1] of record
        Id, Length: LongWord;
      end;
    end;
  end;

  TVirtQueue = record
    Rings: PRings;
    Base: QWord;     { of the device }
    Number: LongWord;
    Reaped: Word;    { of Used.Index }
  end;

{ The address of the next device of Kind on the command line after the one at
  After (0: the first); 0: there is none. }
function NextDevice(Kind: LongWord; After: QWord): QWord;

{ Reset the device at Base and agree with it. False: it does not. }
function BeginDevice(Base: QWord): Boolean;

{ Then its queues: Size bytes for each descriptor, from Buffers on. }
procedure InitQueue(out Queue: TVirtQueue; Base: QWord; Number: LongWord;
                    Buffers: Pointer; Size: LongWord; ByDevice: Boolean);

{ Then it works. }
procedure StartDevice(Base: QWord);

{ The first 64 bits of its configuration. }
function DeviceConfig(Base: QWord): QWord;

{ Buffer Id goes to the device, to be written to or with Length bytes to read. }
procedure AddBuffer(var Queue: TVirtQueue; Id: LongWord);
procedure AddMessage(var Queue: TVirtQueue; Id, Length: LongWord);
{ ... which hears of it, if it wants to. }
procedure Kick(const Queue: TVirtQueue);

{ A buffer that came back, and how much was written; -1: none. }
function Reap(var Queue: TVirtQueue; out Length: LongWord): LongInt;

{ Length bytes that devices may read and write, at the beginning of a page. }
function DeviceMemory(Length: PtrUInt): Pointer;

implementation

uses
  Arch, Memory;

const
  { Virtio 1.2, section 4.2.2; legacy: 4.2.4. All 32 bits. }
  MMIO_VERSION = $004;
  MMIO_KIND = $008;
  MMIO_FEATURES = $020;
  MMIO_FEATURES_SEL = $024;
  MMIO_PAGE_SIZE = $028; { legacy }
  MMIO_QUEUE_SEL = $030;
  MMIO_QUEUE_LEN = $038;
  MMIO_QUEUE_ALIGN = $03C; { legacy }
  MMIO_QUEUE_PAGE = $040;  { legacy }
  MMIO_QUEUE_READY = $044;
  MMIO_NOTIFY = $050;
  MMIO_STATUS = $070;
  MMIO_DESCRIPTORS = $080; { and, 4 bytes on, the upper half }
  MMIO_AVAILABLE = $090;
  MMIO_USED = $0A0;
  MMIO_CONFIG = $100;

  LEGACY = 1;
  STATUS_NOTICED = $03; { acknowledge, driver }
  STATUS_DRIVER_OK = $04;
  STATUS_FEATURES_OK = $08;
  VERSION_1 = 1; { in the upper half of features }

  DESCRIPTOR_WRITE = 2;
  NO_INTERRUPT = 1;
  NO_NOTIFY = 1;

  PAGE = 4096;

function ReadRegister(Base: QWord; Register_: LongWord): LongWord;
begin
  Result := PLongWord(Base + Register_)^;
end;

procedure WriteRegister(Base: QWord; Register_, Value: LongWord);
begin
  PLongWord(Base + Register_)^ := Value;
end;

procedure WriteAddress(Base: QWord; Register_: LongWord; Address: Pointer);
begin
  WriteRegister(Base, Register_, PtrUInt(Address));
  WriteRegister(Base, Register_ + 4, PtrUInt(Address) shr 32);
end;

function NextDevice(Kind: LongWord; After: QWord): QWord;
var
  Line: PChar;
  Passed: Boolean;
begin
  Line := CommandLine;
  Passed := After = 0;
  repeat
    Line := FindWord(Line, 'virtio_mmio.device=');
    if Line = nil then
      Exit(0);
    while (Line^ <> '@') and (Line^ <> #0) do { its size }
      Inc(Line);
    if Line^ = #0 then
      Exit(0);
    Result := ReadNumber(Line + 1);
    if Passed and (ReadRegister(Result, MMIO_KIND) = Kind) then
      Exit;
    Passed := Passed or (Result = After);
  until False;
end;

{ Virtio 1.2, section 3.1.1. A legacy device has fewer steps. }
function BeginDevice(Base: QWord): Boolean;
var
  Agreed: LongWord;
begin
  Agreed := STATUS_NOTICED;
  WriteRegister(Base, MMIO_STATUS, 0);
  WriteRegister(Base, MMIO_STATUS, Agreed);
  WriteRegister(Base, MMIO_FEATURES_SEL, 0);
  WriteRegister(Base, MMIO_FEATURES, 0);
  if ReadRegister(Base, MMIO_VERSION) <> LEGACY then
  begin
    WriteRegister(Base, MMIO_FEATURES_SEL, 1);
    WriteRegister(Base, MMIO_FEATURES, VERSION_1);
    Agreed := Agreed or STATUS_FEATURES_OK;
    WriteRegister(Base, MMIO_STATUS, Agreed);
  end;
  Result := ReadRegister(Base, MMIO_STATUS) = Agreed;
end;

procedure StartDevice(Base: QWord);
begin
  WriteRegister(Base, MMIO_STATUS, ReadRegister(Base, MMIO_STATUS) or STATUS_DRIVER_OK);
end;

function DeviceConfig(Base: QWord): QWord;
begin
  Result := ReadRegister(Base, MMIO_CONFIG) or
            QWord(ReadRegister(Base, MMIO_CONFIG + 4)) shl 32;
end;

function DeviceMemory(Length: PtrUInt): Pointer;
begin
  Result := ToroGetMem(Length + PAGE);
  Result := Result + (PAGE - PtrUInt(Result) mod PAGE);
end;

procedure TellRings(const Queue: TVirtQueue);
begin
  with Queue do
  begin
    WriteRegister(Base, MMIO_QUEUE_SEL, Number);
    WriteRegister(Base, MMIO_QUEUE_LEN, QUEUE_LEN);
    if ReadRegister(Base, MMIO_VERSION) = LEGACY then
    begin
      WriteRegister(Base, MMIO_PAGE_SIZE, PAGE);
      WriteRegister(Base, MMIO_QUEUE_ALIGN, PAGE);
      WriteRegister(Base, MMIO_QUEUE_PAGE, PtrUInt(Rings) div PAGE);
      Exit;
    end;
    WriteAddress(Base, MMIO_DESCRIPTORS, @Rings^.Descriptors);
    WriteAddress(Base, MMIO_AVAILABLE, @Rings^.Available);
    WriteAddress(Base, MMIO_USED, @Rings^.Used);
    WriteRegister(Base, MMIO_QUEUE_READY, 1);
  end;
end;

procedure InitQueue(out Queue: TVirtQueue; Base: QWord; Number: LongWord;
                    Buffers: Pointer; Size: LongWord; ByDevice: Boolean);
var
  I: LongWord;
begin
  Queue.Rings := DeviceMemory(SizeOf(TRings));
  Queue.Base := Base;
  Queue.Number := Number;
  Queue.Reaped := 0;
  for I := 0 to QUEUE_LEN - 1 do
    with Queue.Rings^.Descriptors[I] do
    begin
      Address := PtrUInt(Buffers) + I * Size;
      Length := Size;
      Flags := Ord(ByDevice) * DESCRIPTOR_WRITE;
    end;
  Queue.Rings^.Available.Flags := NO_INTERRUPT;
  TellRings(Queue);
end;

procedure AddBuffer(var Queue: TVirtQueue; Id: LongWord);
begin
  with Queue.Rings^.Available do
  begin
    Ids[Index mod QUEUE_LEN] := Id;
    Index := Index + 1; { stores keep their order on x86 }
  end;
end;

procedure AddMessage(var Queue: TVirtQueue; Id, Length: LongWord);
begin
  Queue.Rings^.Descriptors[Id].Length := Length;
  AddBuffer(Queue, Id);
end;

procedure Kick(const Queue: TVirtQueue);
begin
  Fence; { a device that goes to sleep looks at our index after its flags }
  if Queue.Rings^.Used.Flags and NO_NOTIFY = 0 then
    WriteRegister(Queue.Base, MMIO_NOTIFY, Queue.Number);
end;

function Reap(var Queue: TVirtQueue; out Length: LongWord): LongInt;
begin
  Length := 0;
  if Queue.Rings^.Used.Index = Queue.Reaped then
    Exit(-1);
  with Queue.Rings^.Used.Elements[Queue.Reaped mod QUEUE_LEN] do
  begin
    Result := Id mod QUEUE_LEN;
    Length := Queue.Rings^.Used.Elements[Queue.Reaped mod QUEUE_LEN].Length;
  end;
  Inc(Queue.Reaped);
end;

end.
