{ SPDX-License-Identifier: BSD-2-Clause }
{ The heap, at the constant address at which Toro's begins; nothing is freed. }
unit Memory;

interface

const
  HEAP_START = $800000;
  HEAP_SIZE = $1800000; { to the end of 32 MiB }

{ Zeroed memory at an odd number if Size is odd: nothing is aligned. Never nil:
  the machine ends where there is none. Any core. }
function ToroGetMem(Size: PtrUInt): Pointer;

implementation

uses
  Arch;

var
  Lock: LongWord;
  Top: PtrUInt = HEAP_START;

{ The first caller finds what firmware has left behind. }
procedure Clear(Block: PQWord; Size: PtrUInt);
var
  I: PtrUInt;
begin
  for I := 0 to Size div 8 do
    Block[I] := 0;
end;

function ToroGetMem(Size: PtrUInt): Pointer;
var
  Flags: QWord;
begin
  Flags := AcquireSpinLock(Lock);
  PQWord(Top)^ := Size shl 16 or 1; { its header, right behind the one before }
  Result := Pointer(Top + 8);
  Top := Top + 8 + Size;
  if Top > HEAP_START + HEAP_SIZE then
    Shutdown(1);
  Clear(Result, Size);
  ReleaseSpinLock(Lock, Flags);
end;

end.
