{ SPDX-License-Identifier: BSD-2-Clause }
{ The serial console. A line is printed with interrupts off, port write by port
  write, as Toro does. }
unit Console;

interface

{ One line; each %d is the next of Args. Any core. }
procedure WriteConsoleF(Format: PChar; const Args: array of PtrUInt);
procedure WriteText(Text: PChar);

implementation

uses
  Arch;

const
  BASE_COM = $3F8;
  COM_STATUS = BASE_COM + 5;
  COM_EMPTY = $20;

var
  LockPrint: LongWord;

procedure WriteSerial(C: Char);
begin
  while ReadPortB(COM_STATUS) and COM_EMPTY = 0 do
    ;
  WritePortB(Ord(C), BASE_COM);
end;

procedure PrintDecimal(Value: PtrUInt);
begin
  if Value >= 10 then
    PrintDecimal(Value div 10);
  WriteSerial(Char(Ord('0') + Value mod 10));
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
      WriteSerial(Format^);
    Inc(Format);
  end;
  WriteSerial(#10);
  ReleaseSpinLock(LockPrint, Flags);
end;

procedure WriteText(Text: PChar);
var
  Flags: QWord;
begin
  Flags := AcquireSpinLock(LockPrint);
  while Text^ <> #0 do
  begin
    WriteSerial(Text^);
    Inc(Text);
  end;
  WriteSerial(#10);
  ReleaseSpinLock(LockPrint, Flags);
end;

end.
