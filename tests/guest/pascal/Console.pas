{ SPDX-License-Identifier: BSD-2-Clause }
{ The console: the kernel's virtio-serial device, or COM1 where there is none. A
  line is printed with interrupts off, as Toro does. }
unit Console;

interface

{ One line; each %d is the next of Args. Any core. }
procedure WriteConsoleF(Format: PChar; const Args: array of PtrUInt);
procedure WriteText(Text: PChar);

implementation

uses
  Arch, VirtIOConsole;

const
  BASE_COM = $3F8;
  COM_STATUS = BASE_COM + 5;
  COM_EMPTY = $20;

var
  LockPrint: LongWord;
  Line: array[0..LINE_SIZE - 1] of Char; { what SendLine has not seen yet }
  Length: LongWord;

procedure WriteSerial(C: Char);
begin
  while ReadPortB(COM_STATUS) and COM_EMPTY = 0 do
    ;
  WritePortB(Ord(C), BASE_COM);
end;

procedure WriteChar(C: Char);
begin
  if not HasConsole then
  begin
    WriteSerial(C);
    Exit;
  end;
  Line[Length] := C;
  Inc(Length);
  if (C <> #10) and (Length < LINE_SIZE) then
    Exit;
  SendLine(@Line, Length);
  Length := 0;
end;

procedure PrintDecimal(Value: PtrUInt);
begin
  if Value >= 10 then
    PrintDecimal(Value div 10);
  WriteChar(Char(Ord('0') + Value mod 10));
end;

procedure WriteConsoleF(Format: PChar; const Args: array of PtrUInt);
var
  Flags: QWord;
  Next: LongInt;
begin
  Next := 0;
  Flags := AcquireSpinLock(LockPrint);
  while Format^ <> #0 do
  begin
    if (Format[0] = '%') and (Format[1] = 'd') then
    begin
      PrintDecimal(Args[Next]);
      Inc(Next);
      Inc(Format);
    end
    else
      WriteChar(Format^);
    Inc(Format);
  end;
  WriteChar(#10);
  ReleaseSpinLock(LockPrint, Flags);
end;

procedure WriteText(Text: PChar);
var
  Flags: QWord;
begin
  Flags := AcquireSpinLock(LockPrint);
  while Text^ <> #0 do
  begin
    WriteChar(Text^);
    Inc(Text);
  end;
  WriteChar(#10);
  ReleaseSpinLock(LockPrint, Flags);
end;

end.
