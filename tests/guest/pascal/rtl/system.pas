{ SPDX-License-Identifier: BSD-2-Clause }
{ The whole run-time library: what Free Pascal 3.2.2 asks for before it compiles
  a program, and the names of basic types. No heap, no strings, no exceptions. }
unit System;

interface

type
  Integer = LongInt;
  PtrInt = Int64;
  PtrUInt = QWord;
  PChar = ^Char;
  PByte = ^Byte;
  PLongWord = ^LongWord;
  PQWord = ^QWord;
  PPointer = ^Pointer;

  { The compiler looks for these; nothing here uses them. }
  HRESULT = LongInt;
  TGUID = record
    First, Second: QWord;
  end;
  TTypeKind = (tkUnknown);
  TExceptAddr = record
  end;
  PExceptAddr = ^TExceptAddr;
  jmp_buf = record
  end;
  FileRec = record
  end;
  TextRec = record
  end;

{ What a program calls before its first statement and after its last. }
procedure fpc_InitializeUnits; compilerproc;
procedure fpc_do_exit; compilerproc;

implementation

type
  TProcedure = procedure;
  TInitFinal = record
    Initialize, Finalize: TProcedure;
  end;

var
  { the linked units, the compiler's table }
  InitFinal: record
    Count, Done: QWord;
    Units: array[1..1024] of TInitFinal;
  end; external name 'INITFINAL';

procedure fpc_InitializeUnits; [public, alias: 'FPC_INITIALIZEUNITS']; compilerproc;
var
  I: QWord;
begin
  for I := 1 to InitFinal.Count do
    if Pointer(InitFinal.Units[I].Initialize) <> nil then
      InitFinal.Units[I].Initialize();
end;

{ A kernel's program does not come to its end. }
procedure fpc_do_exit; [public, alias: 'FPC_DO_EXIT']; compilerproc;
begin
  repeat
  until False;
end;

end.
