{ SPDX-License-Identifier: BSD-2-Clause }
{
  libtprof for kernels in Free Pascal: the whole of tprof.h, which is the
  contract and says more of each call, and TProfStart, the usual thing in one
  call. Modes objfpc and delphi; of the RTL it needs the names of basic types.

  Every record is zeroed by its user first: 0 is the good default of every
  field. What is a global variable is zero already.

  For a profile that shows more: -OoNOSTACKFRAME gives each procedure a frame,
  by which all callers are found, not only the nearest; -gw2 gives lines, -gw3
  also names with the letters that you wrote. The linker's --gc-sections is all
  that libtprof needs to cost no more than what is called of it.
}
unit TProf;

{$MODESWITCH CVAR} { weakexternal, in mode delphi, too }
{$PACKRECORDS C}

interface

{$LINKLIB tprof}

const
  { Version of this interface's source: major << 16 | minor << 8 | patch. }
  TPROF_VERSION = $000100;

  { Value of TTProfConfig.Version; grows when the record's layout changes. }
  TPROF_CONFIG_VERSION = 3;

  { What functions return; TProfStrError() says it in words. }
  TPROF_OK = 0;
  TPROF_ERR_VERSION = -1; { Config.Version is not TPROF_CONFIG_VERSION }
  TPROF_ERR_CONFIG = -2;  { a field is out of its range }
  TPROF_ERR_TEXT = -3;    { text bounds empty: link tprof_bounds.ld }
  TPROF_ERR_MEMORY = -4;  { no memory: link tprof_memory.ld, or give some }
  TPROF_ERR_STATE = -5;   { not now: twice, or a core that has not joined }
  TPROF_ERR_CPU = -6;     { more cores than Config.Cpus or memory allow }
  TPROF_ERR_VECTOR = -7;  { every interrupt gate is in use }
  TPROF_ERR_APIC = -8;    { the CPU has no local APIC }
  TPROF_ERR_DEVICE = -9;  { no device of ours, or it misbehaves }
  TPROF_ERR_CLOSED = -10; { channel: the host went away }
  TPROF_ERR_NOT_INIT = -11;        { before TProfInit has succeeded }
  TPROF_ERR_TEXT_UNMAPPED = -12;   { Config.Text is not mapped }
  TPROF_ERR_MEMORY_SMALL = -13;    { memory too small for Config.Cpus }
  TPROF_ERR_MEMORY_UNMAPPED = -14; { memory not mapped, or not writable }
  TPROF_ERR_APIC_OFF = -15;        { the local APIC is disabled }
  TPROF_ERR_APIC_UNMAPPED = -16;   { the local APIC's page is not mapped }
  TPROF_ERR_TIMER = -17;           { the APIC's timer does not count }
  TPROF_ERR_VECTOR_TAKEN = -18;    { Config.Vector has another handler }
  TPROF_ERR_IDT = -19;             { the IDT is too short, or read-only }

  TPROF_MAPPINGS = 16; { TProfMap: at most so many }

  { TTProfChannel.Flags }
  TPROF_CHANNEL_ONE_WAY = 1 shl 0;  { the host cannot speak }
  TPROF_CHANNEL_IRQ_SAFE = 1 shl 1; { may be called inside any interrupt }
  TPROF_CHANNEL_NOTICE = 1 shl 2;   { the host's coming interrupts a core; set
                                      and cleared by TProfVsock }

  { TTProfDevice.Bus }
  TPROF_BUS_AUTO = 0; { by address or command line or scan, else PCI }
  TPROF_BUS_MMIO = 1; { virtio-mmio at Address, or found }
  TPROF_BUS_PCI = 2;  { virtio-pci at Address = bus << 8 | dev << 3 | fn }
  TPROF_BUS_NONE = 3; { no device of ours: Config.Channel }

  { TTProfDevice.Flags }
  TPROF_DEVICE_NO_SCAN = 1 shl 0; { never probe addresses }

  { TTProfConfig.Notice: how an idle agent learns that a host has come }
  TPROF_NOTICE_AUTO = 0; { by interrupt if that is possible, else by looks }
  TPROF_NOTICE_LOOK = 1; { one core looks four times a second }
  TPROF_NOTICE_POLL = 2; { the kernel calls TProfPoll now and then: of these,
                           four a second look }

  { TTProfConfig.Timer }
  TPROF_TIMER_APIC = 0;   { the agent owns each core's local APIC timer }
  TPROF_TIMER_KERNEL = 1; { the kernel calls TProfTick: KernelHz }
  TPROF_TIMER_SHARED = 2; { ... and its timer is one-shot: TProfDeadline }

  { TTProfConfig.CpuSource: who am I, in an interrupt }
  TPROF_CPU_APIC = 0;    { the APIC id: right everywhere, maybe a VM exit }
  TPROF_CPU_GS = 1;      { u32 at gs:[GsCpuOffset], from 0 up }
  TPROF_CPU_TSC_AUX = 2; { RDTSCP: TSC_AUX becomes the agent's }
  TPROF_CPU_HOOK = 3;    { CpuIndex() }

  TPROF_RANGES = 4;

  TPROF_STEAL_UNKNOWN = High(QWord); { TTProfHypervisor.StealNs }

type
  { The interrupted registers, for TProfTick. }
  TTProfRegs = record
    Rip: QWord;
    Rsp: QWord;
    Rbp: QWord;
  end;
  PTProfRegs = ^TTProfRegs;

  TTProfRange = record
    Start: QWord; { address }
    Size: QWord;  { bytes; 0: unused entry }
  end;

  { A byte stream of the kernel's own to the host. Every call comes from one
    core at a time, with interrupts off, on the profiler's stack. Bounded
    work; never waits. Inside an interrupt it touches general registers only,
    as all hooks do: nobody has saved vector registers. }
  TTProfChannel = record
    Flags: LongWord; { TPROF_CHANNEL_* }
    Context: Pointer; { handed to each function }
    { 1: a host is attached, 0: none now, negative: dead for good. }
    Open: function(Context: Pointer): LongInt; cdecl;
    { Takes up to Size bytes and returns how many; 0: busy, try later. }
    Send: function(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
    { Bytes taken by Send and still in use. nil: Send copies. }
    Pending: function(Context: Pointer): LongWord; cdecl;
    { Copies up to Size received bytes. nil on a one-way channel. }
    Receive: function(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
    { Lets the host see the end, where the transport can. nil: nothing. }
    Close: procedure(Context: Pointer); cdecl;
  end;
  PTProfChannel = ^TTProfChannel;

  PTProfConfig = ^TTProfConfig; { below }

  { A way to the host other than virtio-serial: @TProfVsock. Opaque. }
  PTProfTransport = Pointer;

  { Where the device is: of virtio-serial, the one that has a port named
    "tprof.0"; of vsock, the one that no driver has claimed. }
  TTProfDevice = record
    Bus: LongWord;      { TPROF_BUS_* }
    Flags: LongWord;    { TPROF_DEVICE_* }
    Address: QWord;     { 0: find it }
    CommandLine: PChar; { with virtio_mmio.device= entries, or nil }
    Irq: LongWord;      { IO-APIC pin of an MMIO device, for notice by
                          interrupt; 0: as the command line says }
  end;

  { What a hypervisor tells its guests. A kernel that has these things for
    itself gives its own record, with every function. Memory: 64 bytes, aligned
    to that, zero at first; Config.Physical says where the hypervisor finds
    them. }
  TTProfHypervisor = record
    { TSC ticks a second; 0: unknown. In TProfInit; Memory is only lent. }
    TscHz: function(Config: PTProfConfig; Memory: Pointer): QWord; cdecl;
    { The calling core joins, or leaves; Memory is its own. }
    StartCpu: procedure(Config: PTProfConfig; Memory: Pointer); cdecl;
    StopCpu: procedure(Config: PTProfConfig; Memory: Pointer); cdecl;
    { Time that the host took from the core with Memory, ns, cumulative, or
      TPROF_STEAL_UNKNOWN. From any core. }
    StealNs: function(Memory: Pointer): QWord; cdecl;
  end;
  PTProfHypervisor = ^TTProfHypervisor;

  TTProfConfig = record
    Version: LongWord; { TPROF_CONFIG_VERSION }

    { What to sample. The host may change both while running. }
    RateHz: LongWord;    { 1 to 50000 a core; 0: 997 }
    MaxFrames: LongWord; { 1 to 127 callers; 0: 64 }

    { Memory, all of it the caller's and for good. A device reads its first
      24 KiB: those are physically contiguous. }
    Memory: Pointer;     { nil: tprof_memory.ld's }
    MemorySize: PtrUInt; { bytes }
    Cpus: LongWord;      { most cores, 1 to 64; 0: as memory allows }
    RingBytes: LongWord; { a core's; power of two, 4 KiB to 16 MiB; 0: 64 KiB }
    DictSlots: LongWord; { stacks a core remembers; power of two, 64 to 8192;
                           8 bytes each; 0: 4096 }

    { The machine. }
    TscHz: QWord;          { 0: found out, or measured by the host }
    Lapic: QWord;          { virtual address of its registers; 0: physical }
    Vector: LongWord;      { 32 to 239; 0: the highest absent gate there }
    CpuSource: LongWord;   { TPROF_CPU_* }
    GsCpuOffset: LongWord; { TPROF_CPU_GS }
    Timer: LongWord;       { TPROF_TIMER_* }
    KernelHz: LongWord;    { TPROF_TIMER_KERNEL: how often it ticks }
    Seed: QWord;           { of the random intervals; 0: from the TSC }
    Lending: Pointer;      { nil: the kernel leaves our timer; TProfLendTimer }

    { The way to the host. }
    Device: TTProfDevice;
    Channel: PTProfChannel;     { instead of the device }
    Transport: PTProfTransport; { nil: virtio-serial }
    Notice: LongWord;           { TPROF_NOTICE_* }

    { What the hypervisor tells its guests. nil: nothing. }
    Hypervisor: PTProfHypervisor;

    { Hooks; nil each is the default. Context is handed to each. }
    Context: Pointer;
    CpuIndex: function(Context: Pointer): LongWord; cdecl; { TPROF_CPU_HOOK }
    { nil: writes this core's IDT }
    InstallVector: function(Context: Pointer; Vector: LongWord;
                            Entry: Pointer): LongInt; cdecl;
    Physical: function(Context, Address: Pointer): QWord; cdecl; { identity }
    { The device's interrupt shall arrive as Vector on the core with ApicId. }
    RouteIrq: function(Context: Pointer;
                       Vector, ApicId: LongWord): LongInt; cdecl;

    { What may be looked at. }
    Text: TTProfRange; { valid return addresses; size 0: the fragment's }
    Readable: array[0..TPROF_RANGES - 1] of TTProfRange; { stacks lie here, and
                         it never faults; all 0: the image. Ascending. }
  end;

  { What the image says of itself. }
  TTProfImage = record
    TextStart, TextEnd: Pointer;
    ImageStart, ImageEnd: Pointer;
    BuildId, BuildIdEnd: Pointer;
    Memory, MemoryEnd: Pointer;
  end;

  { Cumulative since TProfInit. Deadlines = Ticks + Missed;
    Ticks = Samples + RingFull + Reentered. }
  TTProfStats = record
    Ticks, Samples, Missed, RingFull, Reentered: QWord;
    CostTsc, CostMaxTsc: QWord; { spent in the profiler's interrupt }
    ByDivision: QWord;          { ticks so late that drawing gave up }
    Stacks: QWord;              { dictionary definitions }
    Foreign: QWord;             { interrupts that were no tick }
    Repaired: QWord;            { times that its timer was taken back: ticks had
                                  stayed away for long, or others had used it }
    ApicId: LongWord;
    Started: LongWord;
  end;

  { A further image, say an application that the kernel has loaded: where its
    code lies, and how the host knows its ELF file. }
  TTProfMapping = record
    Name: PChar;           { as its file is named; as long as it is there }
    BuildId: Pointer;      { the id's bytes, likewise. nil: it has none }
    BuildIdSize: LongWord; { at most 64 }
    Start, Size: QWord;    { its code: run-time address, bytes }
    LinkStart: QWord;      { Start as its ELF file has it }
  end;

var
  { What TProfStart begins with: set here what shall differ from the usual. }
  TProfSettings: TTProfConfig;

  { virtio-vsock, QEMU's debug port and a UART, for TTProfConfig.Transport, and
    KVM, for Hypervisor: each is linked only into a kernel that names it. }
  TProfVsock: Byte; external name 'tprof_vsock';
  TProfDebugcon: Byte; external name 'tprof_debugcon';
  TProfUart: Byte; external name 'tprof_uart';
  TProfKvm: TTProfHypervisor; external name 'tprof_kvm';

  { For kernels that wait by a count of the timer of TPROF_TIMER_APIC, as Toro's
    Delay does, for TTProfConfig.Lending. }
  TProfLendTimer: Byte; external name 'tprof_lend_timer';

  { Where this image was loaded: its address, less the ELF's, is the slide. }
  TProfAnchor: Byte; external name 'tprof_anchor';

{
  The usual thing: prepares the profiler and joins the calling core, which is
  the boot core, with its IDT loaded and its local APIC enabled, and interrupts
  off. Each other core then calls TProfStartCpu, and that is all.

  Memory: MemorySize bytes of the heap, the profiler's for good: 128 KiB a core
  and 32 KiB for all. nil: what tprof_memory.ld sets aside.
  Stacks: the threads' stacks lie within these StacksSize bytes, which never
  fault. nil: within the image.
  CommandLine: the kernel's, which names the virtio-mmio devices; or nil.

  Returns TPROF_OK, or what TProfInit or TProfStartCpu return.
}
function TProfStart(Memory: Pointer; MemorySize: PtrUInt; Stacks: Pointer;
                    StacksSize: PtrUInt; CommandLine: PChar): LongInt;

{
  Prepares the agent, with what the linker's fragments say of the image. Once,
  on the boot core, before any other function.

  Returns TPROF_OK, or an error: then nothing was changed or claimed, and it may
  be called again. A kernel may well go on without a device: TPROF_ERR_DEVICE.
}
function TProfInit(constref Config: TTProfConfig): LongInt;

{ As TProfInit, for a kernel that is linked without the fragments. }
function TProfInitImage(constref Config: TTProfConfig;
                        constref Image: TTProfImage): LongInt;
  cdecl; external name 'tprof_init_image';

{ Bytes of memory that Config needs with Config.Cpus cores (0: 1 core). }
function TProfMemSize(constref Config: TTProfConfig): PtrUInt;
  cdecl; external name 'tprof_mem_size';

{ Joins the calling core, once each, after its IDT is loaded and its local APIC
  is enabled. TPROF_OK, or an error: then it has not joined, and is as it was. }
function TProfStartCpu: LongInt; cdecl; external name 'tprof_start_cpu';

{ Takes the calling core out again; its gate stays, its timer is free. }
function TProfStopCpu: LongInt; cdecl; external name 'tprof_stop_cpu';

{ Drains, and listens to the host: for an idle loop, and the only drain of a
  channel that is not TPROF_CHANNEL_IRQ_SAFE. Any core, never inside a tick. }
procedure TProfPoll; cdecl; external name 'tprof_poll';

{ The kernel's own timer interrupt on this core took Regs: TPROF_TIMER_KERNEL,
  TPROF_TIMER_SHARED. }
procedure TProfTick(constref Regs: TTProfRegs); cdecl; external name 'tprof_tick';

{ TPROF_TIMER_SHARED: when the calling core's timer shall fire at the latest,
  TSC: a kernel without a fixed tick programs its timer for this, if its own
  deadline is not earlier. It may be over by then: the timer fires at once.
  Interrupts are off. }
function TProfDeadline: QWord; cdecl; external name 'tprof_deadline';

{ Sends what the rings hold, at most Frames frames of 1.5 KiB, for a guest about
  to exit. 0: all is sent, else 1. }
function TProfFlush(Frames: LongWord): LongInt; cdecl; external name 'tprof_flush';

{ Tells of Mapping, which is copied; its code is mapped by now. Those that it
  overlaps are gone from now on. TPROF_OK; TPROF_ERR_NOT_INIT; TPROF_ERR_CONFIG
  if it makes no sense, or overlaps the kernel's text; TPROF_ERR_MEMORY_SMALL if
  there are TPROF_MAPPINGS others. }
function TProfMap(constref Mapping: TTProfMapping): LongInt;
  cdecl; external name 'tprof_map';

{ Reads the counters of Core. TPROF_OK or TPROF_ERR_CPU. }
function TProfGetStats(Core: LongWord; out Stats: TTProfStats): LongInt;
  cdecl; external name 'tprof_get_stats';

{ What an error means and what to do, one line. Never nil. }
function TProfStrError(Error: LongInt): PChar; cdecl; external name 'tprof_strerror';

{ TPROF_VERSION of the library that is linked. }
function TProfVersion: LongWord; cdecl; external name 'tprof_version';

implementation

var { of the fragments in linker/; one that is not linked is at address 0 }
  TextStart: Byte; weakexternal name '__tprof_text_start';
  TextEnd: Byte; weakexternal name '__tprof_text_end';
  ImageStart: Byte; weakexternal name '__tprof_image_start';
  ImageEnd: Byte; weakexternal name '__tprof_image_end';
  BuildId: Byte; weakexternal name '__tprof_build_id';
  BuildIdEnd: Byte; weakexternal name '__tprof_build_id_end';
  MemoryStart: Byte; weakexternal name '__tprof_memory';
  MemoryEnd: Byte; weakexternal name '__tprof_memory_end';

function TProfInit(constref Config: TTProfConfig): LongInt;
var
  Image: TTProfImage;
begin
  { by code: a constant's references would not be weak }
  Image.TextStart := @TextStart;
  Image.TextEnd := @TextEnd;
  Image.ImageStart := @ImageStart;
  Image.ImageEnd := @ImageEnd;
  Image.BuildId := @BuildId;
  Image.BuildIdEnd := @BuildIdEnd;
  Image.Memory := @MemoryStart;
  Image.MemoryEnd := @MemoryEnd;
  Result := TProfInitImage(Config, Image);
end;

{ Stacks lie in the image, the boot core's as a rule, and in (Stacks). }
procedure SetReadable(Stacks: Pointer; StacksSize: PtrUInt);
var
  Image, Others: LongInt;
begin
  Image := Ord(PtrUInt(Stacks) < PtrUInt(@ImageStart)); { ascending }
  Others := 1 - Image;
  with TProfSettings do
  begin
    Readable[Image].Start := PtrUInt(@ImageStart);
    Readable[Image].Size := PtrUInt(@ImageEnd) - PtrUInt(@ImageStart);
    Readable[Others].Start := PtrUInt(Stacks);
    Readable[Others].Size := StacksSize;
  end;
end;

function TProfStart(Memory: Pointer; MemorySize: PtrUInt; Stacks: Pointer;
                    StacksSize: PtrUInt; CommandLine: PChar): LongInt;
begin
  TProfSettings.Version := TPROF_CONFIG_VERSION;
  TProfSettings.Memory := Memory;
  TProfSettings.MemorySize := MemorySize;
  TProfSettings.Device.CommandLine := CommandLine;
  if Stacks <> nil then
    SetReadable(Stacks, StacksSize);
  Result := TProfInit(TProfSettings);
  if Result = TPROF_OK then
    Result := TProfStartCpu;
end;

end.
