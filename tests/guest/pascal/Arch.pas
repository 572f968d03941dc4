{ SPDX-License-Identifier: BSD-2-Clause }
{ The machine as Toro has it: one IDT for all cores with few free gates and none
  for spurious interrupts, code at selector 18h, no TSS, the core's number at
  gs:[0]. The other cores start by the kit's boot.S. }
unit Arch;

interface

const
  MAX_CPU = 16;
  { A core that has booted runs on this little until it has a thread. }
  BOOT_STACK_SIZE = 700;

type
  TCoreEntry = procedure;

{ Once, on core 0. }
procedure ArchInit;

const
  MAP_SIZE = 512 * 4096;

{ Map 512 GB one to one, writable and executable, whatever is there: no address
  below faults. Tables: MAP_SIZE bytes from the beginning of a page. Once, on
  core 0, before there are others. }
procedure MapEverything(Tables: PQWord);

{ What a profiler must not count on, and Toro does not have: a task register, a
  gate for spurious interrupts, a stack pointer that is even. How many of these
  the calling thread finds here. }
function Comforts: LongWord;

{ Have each other core run Entry, which does not return, on a stack of its own
  below Stacks + BOOT_STACK_SIZE * number, with interrupts on. Needs no memory,
  and waits by Delay. }
procedure StartCores(Stacks: Pointer; Entry: TCoreEntry);

{ How many cores there are. }
function CoreCount: LongWord;

{ The calling one's number. }
function GetCoreId: LongWord;

{ Wakes Core, from any context. }
procedure SendInterCore(Core: LongWord);

{ Wait so long by the local APIC's timer, one-shot, whoever else uses it. }
procedure Delay(Milliseconds: LongWord);

{ End the machine; 0 is success. }
procedure Shutdown(Status: LongWord);

{ The kernel's command line. What follows Word in Line; nil: it is not there. The
  number, decimal or 0x.., that Text begins with; that after Option (with its '=')
  on the command line. }
function CommandLine: PChar;
function FindWord(Line, Word: PChar): PChar;
function ReadNumber(Text: PChar): QWord;
function KernelOption(Option: PChar; Absent: QWord): QWord;

function ReadRdtsc: QWord;
procedure WritePortB(Data: Byte; Port: Word);
procedure WritePortD(Data: LongWord; Port: Word);
function ReadPortB(Port: Word): Byte;
procedure WriteBlock(Data: Pointer; Size: QWord; Port: Word);

{ Interrupts off; what RestoreInt takes. }
function DisableInt: QWord;
procedure RestoreInt(Flags: QWord);
procedure EnableInt;
{ Sleep with interrupts on; they are off before, so that none is missed. }
procedure Hlt;

{ Whole memory barrier; exchange with one. }
procedure Fence;
function Exchange(var Value: LongWord; New: LongWord): LongWord;
{ Whatever other cores add. }
procedure AddTo(var Value: QWord; Count: QWord);
procedure CopyBytes(Source, Destination: Pointer; Count: QWord);

{ A lock with interrupts off meanwhile. }
function AcquireSpinLock(var Lock: LongWord): QWord;
procedure ReleaseSpinLock(var Lock: LongWord; Flags: QWord);

implementation

{$ASMMODE INTEL}

const
  LAPIC = QWord($FEE00000);
  LAPIC_ID = $20;
  LAPIC_SPURIOUS = $F0;
  LAPIC_ENABLE = $100;
  LAPIC_ICR_LOW = $300;
  LAPIC_ICR_HIGH = $310;
  LAPIC_EOI = $B0;
  LAPIC_TIMER_INITIAL = $380;
  LAPIC_TIMER_CURRENT = $390;
  LAPIC_TIMER_DIVIDE = $3E0;
  DIVIDE_BY_1 = $B;
  TIMER_MHZ = 1000; { in QEMU }
  ICR_BUSY = 1 shl 12;
  ICR_INIT = $4500;
  ICR_STARTUP = $4600;
  MSR_GS_BASE = $C0000101;
  TRAMPOLINE = $8000; { page number is the start-up IPI's vector }
  START_MS = 10; { a core may take so long to obey }

  FW_CFG_SELECT = $510; { w  u16 }
  FW_CFG_DATA = $511;   { r  u8 }
  FW_CFG_NB_CPUS = $05;

  DEBUG_EXIT = $F4;

  INTER_CORE_IRQ = 80;
  { All else above the exceptions is taken, as far as a profiler may see. }
  FREE_GATES = [65, 66, 129];

type
  TGate = packed record
    OffsetLow, Selector, Flags, OffsetMiddle: Word;
    OffsetHigh, Reserved: LongWord;
  end;
  TTablePointer = packed record
    Limit: Word;
    Base: Pointer;
  end;

const
  CODE_SELECTOR = $18;
  GATE_PRESENT = $8E00; { an interrupt gate }
  Gdt: array[0..3] of QWord = (0, 0, $00CF92000000FFFF, $00AF9A000000FFFF);

var
  Idt: array[0..255] of TGate;
  CoreNumbers: array[0..MAX_CPU - 1] of LongWord; { what gs:[0] reads }
  Count: LongWord;
  Started: LongWord;
  OthersEntry: TCoreEntry;

  { boot.S and trap.S of tests/guest/common }
  BootInfo: QWord; external name 'boot_info';
  BootStack: QWord; external name 'boot_stack';
  BootEntry: Pointer; external name 'boot_entry';
  BootTrampoline: Byte; external name 'boot_trampoline';
  BootTrampolineEnd: Byte; external name 'boot_trampoline_end';
  TrapEntries: array[0..31] of Pointer; external name 'trap_entries';

function ReadRdtsc: QWord; assembler; nostackframe;
asm
  rdtsc
  shl rdx, 32
  or rax, rdx
end;

procedure WritePortB(Data: Byte; Port: Word); assembler; nostackframe;
asm
  mov eax, edi
  mov edx, esi
  out dx, al
end;

procedure WritePortW(Data: Word; Port: Word); assembler; nostackframe;
asm
  mov eax, edi
  mov edx, esi
  out dx, ax
end;

procedure WritePortD(Data: LongWord; Port: Word); assembler; nostackframe;
asm
  mov eax, edi
  mov edx, esi
  out dx, eax
end;

function ReadPortB(Port: Word): Byte; assembler; nostackframe;
asm
  mov edx, edi
  in al, dx
end;

procedure WriteBlock(Data: Pointer; Size: QWord; Port: Word); assembler; nostackframe;
asm
  mov rcx, rsi
  mov rsi, rdi
  rep outsb { the port is in dx }
end;

function DisableInt: QWord; assembler; nostackframe;
asm
  pushfq
  cli
  pop rax
end;

procedure RestoreInt(Flags: QWord); assembler; nostackframe;
asm
  push rdi
  popfq
end;

procedure EnableInt; assembler; nostackframe;
asm
  sti
end;

procedure Hlt; assembler; nostackframe;
asm
  sti
  hlt
end;

procedure Fence; assembler; nostackframe;
asm
  mfence
end;

function Exchange(var Value: LongWord; New: LongWord): LongWord; assembler; nostackframe;
asm
  mov eax, esi
  xchg [rdi], eax
end;

procedure AddTo(var Value: QWord; Count: QWord); assembler; nostackframe;
asm
  lock add [rdi], rsi
end;

procedure CopyBytes(Source, Destination: Pointer; Count: QWord); assembler; nostackframe;
asm
  xchg rdi, rsi
  mov rcx, rdx
  rep movsb
end;

function AcquireSpinLock(var Lock: LongWord): QWord;
begin
  Result := DisableInt;
  while Exchange(Lock, 1) <> 0 do
    ;
end;

procedure ReleaseSpinLock(var Lock: LongWord; Flags: QWord);
begin
  Exchange(Lock, 0);
  RestoreInt(Flags);
end;

function GetCoreId: LongWord; assembler; nostackframe;
asm
  mov eax, gs:[0]
end;

procedure WriteMsr(Msr: LongWord; Value: QWord); assembler; nostackframe;
asm
  mov ecx, edi
  mov eax, esi
  mov rdx, rsi
  shr rdx, 32
  wrmsr
end;

procedure LoadIdt(var Table: TTablePointer); assembler; nostackframe;
asm
  lidt [rdi]
end;

{ ... and code continues at CODE_SELECTOR. }
procedure LoadGdt(var Table: TTablePointer); assembler; nostackframe;
asm
  lgdt [rdi]
  pop rdi
  mov eax, CODE_SELECTOR
  push rax
  push rdi
  db $48, $CB { retfq }
end;

function ReadLapic(Register_: LongWord): LongWord;
begin
  Result := PLongWord(LAPIC + Register_)^;
end;

procedure WriteLapic(Register_, Value: LongWord);
begin
  PLongWord(LAPIC + Register_)^ := Value;
end;

procedure SendCommand(ApicId, Command: LongWord);
var
  Flags: QWord;
begin
  Flags := DisableInt; { two registers, one command }
  WriteLapic(LAPIC_ICR_HIGH, ApicId shl 24);
  WriteLapic(LAPIC_ICR_LOW, Command);
  while ReadLapic(LAPIC_ICR_LOW) and ICR_BUSY <> 0 do
    ;
  RestoreInt(Flags);
end;

procedure Delay(Milliseconds: LongWord);
begin
  WriteLapic(LAPIC_TIMER_DIVIDE, DIVIDE_BY_1);
  WriteLapic(LAPIC_TIMER_INITIAL, TIMER_MHZ * 1000 * Milliseconds);
  while ReadLapic(LAPIC_TIMER_CURRENT) <> 0 do
    ;
  WriteLapic(LAPIC_EOI, 0);
end;

{ Cores are numbered by their APIC ids, which QEMU gives out from 0 up. }
procedure SendInterCore(Core: LongWord);
begin
  SendCommand(Core, INTER_CORE_IRQ);
end;

procedure InterCoreEntry; assembler; nostackframe;
asm
  push rax
  mov eax, $FEE000B0 { end of interrupt }
  mov dword ptr [rax], 0
  pop rax
  iretq
end;

procedure Panic(What: PChar; Value: QWord);
begin
  DisableInt;
  while What^ <> #0 do
  begin
    WritePortB(Ord(What^), $3F8);
    Inc(What);
  end;
  repeat
    WritePortB(Ord('0') + Value mod 10, $3F8);
    Value := Value div 10;
  until Value = 0; { backwards: it need not be pretty }
  Shutdown(1);
end;

procedure IdtFault(Frame: PQWord; Rbp: QWord); cdecl; public name 'idt_fault';
begin
  WritePortB(13, $3F8);
  Panic('fault, vector and address backwards: ', Frame[0]);
end;

procedure TakenGate;
begin
  Panic('an interrupt that nobody awaits', 0);
end;

procedure SetGate(Vector: LongWord; Entry: Pointer);
begin
  with Idt[Vector] do
  begin
    OffsetLow := Word(PtrUInt(Entry));
    OffsetMiddle := Word(PtrUInt(Entry) shr 16);
    OffsetHigh := PtrUInt(Entry) shr 32;
    Selector := CODE_SELECTOR;
    Flags := GATE_PRESENT;
  end;
end;

procedure FillIdt;
var
  I: LongWord;
begin
  for I := 0 to 31 do
    SetGate(I, TrapEntries[I]);
  for I := 32 to 239 do
    if not (I in FREE_GATES) then
      SetGate(I, @TakenGate);
  SetGate(INTER_CORE_IRQ, @InterCoreEntry);
end;

{ On each core. }
procedure InitCore(Number: LongWord);
var
  Table: TTablePointer;
begin
  Table.Limit := SizeOf(Gdt) - 1;
  Table.Base := @Gdt;
  LoadGdt(Table);
  Table.Limit := SizeOf(Idt) - 1;
  Table.Base := @Idt;
  LoadIdt(Table);
  CoreNumbers[Number] := Number;
  WriteMsr(MSR_GS_BASE, QWord(@CoreNumbers[Number]));
  WriteLapic(LAPIC_SPURIOUS, LAPIC_ENABLE or $FF); { which has no gate }
end;

procedure OtherCore;
begin
  InitCore(ReadLapic(LAPIC_ID) shr 24);
  EnableInt;
  Exchange(Started, Started + 1);
  OthersEntry();
end;

function PageTable: PQWord; assembler; nostackframe;
asm
  mov rax, cr3
end;

procedure UsePageTable(Table: PQWord); assembler; nostackframe;
asm
  mov cr3, rdi
end;

procedure MapEverything(Tables: PQWord);
const
  LARGE = $83; { 2 MiB, writable, present }
var
  I: QWord;
  First: PQWord; { of 512, each for 1 GiB }
begin
  First := PQWord(PageTable^ and not QWord($FFF));
  for I := 0 to 512 * 512 - 1 do
    Tables[I] := I shl 21 or LARGE;
  for I := 0 to 511 do
    First[I] := PtrUInt(@Tables[I * 512]) or 3;
  UsePageTable(PageTable); { forget what was looked up }
end;

function StackPointer: QWord; assembler; nostackframe;
asm
  lea rax, [rsp + 8]
end;

function TaskRegister: Word; assembler; nostackframe;
asm
  str ax
end;

function Comforts: LongWord;
begin
  Result := LongWord(StackPointer and 1 xor 1) + Ord(TaskRegister <> 0) +
            Ord(Idt[$FF].Flags <> 0);
end;

procedure ArchInit;
begin
  FillIdt;
  InitCore(0);
  WritePortW(FW_CFG_NB_CPUS, FW_CFG_SELECT);
  Count := ReadPortB(FW_CFG_DATA);
end;

{ A core that does not come hangs us: the test's time limit tells. }
procedure StartCores(Stacks: Pointer; Entry: TCoreEntry);
var
  I: LongWord;
begin
  CopyBytes(@BootTrampoline, Pointer(TRAMPOLINE),
            PtrUInt(@BootTrampolineEnd) - PtrUInt(@BootTrampoline));
  OthersEntry := Entry;
  BootEntry := @OtherCore;
  for I := 1 to Count - 1 do
  begin
    BootStack := PtrUInt(Stacks) + I * BOOT_STACK_SIZE - 1; { odd }
    SendCommand(I, ICR_INIT);
    Delay(START_MS);
    SendCommand(I, ICR_STARTUP or TRAMPOLINE shr 12);
    Delay(START_MS);
    repeat
      Fence;
    until Started = I;
  end;
end;

function CoreCount: LongWord;
begin
  Result := Count;
end;

procedure Shutdown(Status: LongWord);
begin
  { what tests/guest/boot takes for success and failure }
  if Status = 0 then
    WritePortD($10, DEBUG_EXIT)
  else
    WritePortD($11, DEBUG_EXIT);
  repeat
    DisableInt;
  until False;
end;

function CommandLine: PChar;
begin
  Result := PPointer(BootInfo + 24)^;
end;

{ Is Word at the beginning of Line? }
function BeginsWith(Line, Start: PChar): Boolean;
begin
  while (Start^ <> #0) and (Line^ = Start^) do
  begin
    Inc(Line);
    Inc(Start);
  end;
  Result := Start^ = #0;
end;

function FindWord(Line, Word: PChar): PChar;
begin
  while (Line^ <> #0) and not BeginsWith(Line, Word) do
    Inc(Line);
  if Line^ = #0 then
    Exit(nil);
  while Word^ <> #0 do
  begin
    Inc(Word);
    Inc(Line);
  end;
  Result := Line;
end;

{ -1: none. }
function Digit(C: Char): LongInt;
begin
  case C of
    '0'..'9': Result := Ord(C) - Ord('0');
    'a'..'f': Result := Ord(C) - Ord('a') + 10;
  else
    Result := -1;
  end;
end;

function ReadNumber(Text: PChar): QWord;
var
  Base: LongWord;
begin
  Base := 10;
  if (Text[0] = '0') and (Text[1] = 'x') then
  begin
    Base := 16;
    Inc(Text, 2);
  end;
  Result := 0;
  while (Digit(Text^) >= 0) and (Digit(Text^) < Base) do
  begin
    Result := Result * Base + Digit(Text^);
    Inc(Text);
  end;
end;

function KernelOption(Option: PChar; Absent: QWord): QWord;
var
  Text: PChar;
begin
  Text := FindWord(CommandLine, Option);
  if Text = nil then
    Exit(Absent);
  Result := ReadNumber(Text);
end;

end.
