{ SPDX-License-Identifier: BSD-2-Clause }
{ The whole run-time library: what Free Pascal 3.2.2 asks for before it compiles
  a program, the names of basic types, and Move. No heap, no strings, no
  exceptions. }
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

{ Copies Count bytes; Dest and Source may overlap. As in the compiler's own library
  it is assembly, and has no frame. }
procedure Move(const Source; var Dest; Count: PtrInt);

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

{$ASMMODE INTEL}

procedure Move(const Source; var Dest; Count: PtrInt); assembler; nostackframe;
asm
  test rdx, rdx
  jle @Done
  mov rax, rsi
  sub rax, rdi
  cmp rax, rdx
  jb @Backward { Dest begins within Source }
  mov rcx, rdx
  shr rcx, 3
  jz @Rest
@Words:
  mov rax, [rdi]
  mov [rsi], rax
  add rdi, 8
  add rsi, 8
  dec rcx
  jnz @Words
@Rest:
  and rdx, 7
  jz @Done
@Bytes:
  mov al, [rdi]
  mov [rsi], al
  inc rdi
  inc rsi
  dec rdx
  jnz @Bytes
  jmp @Done
@Backward:
  mov al, [rdi + rdx - 1]
  mov [rsi + rdx - 1], al
  dec rdx
  jnz @Backward
@Done:
end;

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
