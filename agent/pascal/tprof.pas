{ SPDX-License-Identifier: BSD-2-Clause }
{
  libtprof for kernels in Free Pascal. This unit declares everything of tprof.h,
  which is the contract and says more about each call. It adds TProfStart, which
  does the usual work in one call.

  The unit compiles in modes objfpc and delphi. Of the RTL it needs only the
  names of basic types.

  A kernel zeroes every record before it fills the record in: 0 is the good
  default of every field. Global variables are zero already.

  Three options make a profile show more. -OoNOSTACKFRAME gives each procedure a
  frame, so that all callers are found and not only the nearest. -gw2 gives
  lines. -gw3 also gives names as they are written. With the linker's
  --gc-sections a kernel links only the parts of libtprof that it uses.
}
unit TProf;

{$MODESWITCH CVAR} { external and weakexternal variables, in mode delphi, too }
{$PACKRECORDS C}

interface

{$LINKLIB tprof}

const
  { Version of this interface's source: major << 16 | minor << 8 | patch. }
  TPROF_VERSION = $000100;

  { Value of TTProfConfig.Version. It grows when the record's layout changes. }
  TPROF_CONFIG_VERSION = 7;

  { Results of functions. TProfStrError() says what to do about each error. }
  TPROF_OK = 0;
  TPROF_ERR_VERSION = -1;          { Config.Version is not this unit's }
  TPROF_ERR_CONFIG = -2;           { a field is out of its range }
  TPROF_ERR_TEXT = -3;             { no text bounds: link tprof_bounds.ld }
  TPROF_ERR_MEMORY = -4;           { no memory: link tprof_memory.ld }
  TPROF_ERR_STATE = -5;            { a second call, or a core not joined }
  TPROF_ERR_CPU = -6;              { more cores than Cpus or memory allow }
  TPROF_ERR_VECTOR = -7;           { every gate from 32 to 239 is in use }
  TPROF_ERR_APIC = -8;             { the CPU has no local APIC }
  TPROF_ERR_DEVICE = -9;           { no such device, or it misbehaves }
  TPROF_ERR_CLOSED = -10;          { from a channel: the host went away }
  TPROF_ERR_NOT_INIT = -11;        { TProfInit has not succeeded yet }
  TPROF_ERR_TEXT_UNMAPPED = -12;   { text is not mapped }
  TPROF_ERR_MEMORY_SMALL = -13;    { too little memory for Config.Cpus }
  TPROF_ERR_MEMORY_UNMAPPED = -14; { memory not mapped, or read-only }
  TPROF_ERR_APIC_OFF = -15;        { the local APIC is disabled }
  TPROF_ERR_APIC_UNMAPPED = -16;   { the local APIC's page is not mapped }
  TPROF_ERR_TIMER = -17;           { the APIC's timer does not count }
  TPROF_ERR_VECTOR_TAKEN = -18;    { Config.Vector has another handler }
  TPROF_ERR_IDT = -19;             { no IDT, or too short, or read-only }
  TPROF_ERR_DEVICE_TAKEN = -20;    { a driver has the device that is there }
  TPROF_ERR_DEVICE_PORT = -21;     { virtio-serial without our port }
  TPROF_ERR_DEVICE_UNMAPPED = -22; { its registers are not mapped }
  TPROF_ERR_DEVICE_PLATFORM = -23; { it wants VIRTIO_F_ACCESS_PLATFORM }
  TPROF_ERR_IO_PORT = -24;         { no UART, or debug port, at the port }
  TPROF_ERR_IMAGE = -25;           { the agent is not loaded whole }
  TPROF_ERR_TIMER_TAKEN = -26;     { the kernel uses the APIC's timer }
  TPROF_ERR_CLOCK = -27;           { the TSC's rate is not known }

  TPROF_MAPPINGS = 16; { greatest number at a time }
  TPROF_COUNTERS = 8; { that TProfAddCounter takes }

  { Why a thread runs no longer }
  TPROF_BLOCKED = 0; { it waits until TProfWake }
  TPROF_READY = 1;   { it waits for a core }
  TPROF_ENDED = 2;   { as TProfThreadEnd }

  { TTProfChannel.Flags }
  TPROF_CHANNEL_ONE_WAY = 1 shl 0;  { the host cannot speak }
  TPROF_CHANNEL_IRQ_SAFE = 1 shl 1; { may be called inside any interrupt }
  { an interrupt announces a host; TProfVsock sets and clears it }
  TPROF_CHANNEL_NOTICE = 1 shl 2;
  TPROF_CHANNEL_SOON = 1 shl 3;

  { TTProfDevice.Bus }
  TPROF_BUS_AUTO = 0; { by Address, command line or scan, else PCI }
  TPROF_BUS_MMIO = 1; { virtio-mmio at Address; 0: by command line or scan }
  TPROF_BUS_PCI = 2;  { virtio-pci at bus << 8 | dev << 3 | fn; 0: by a search }
  TPROF_BUS_NONE = 3; { no virtio device: Config.Channel is used }

  { TTProfDevice.Flags }
  TPROF_DEVICE_NO_SCAN = 1 shl 0; { never probe addresses }
  { TProfVsock: callers other than the host, CID 2, may attach, too }
  TPROF_DEVICE_ANY_CID = 1 shl 1;
  { TProfVsock: only callers with a port below 1024 may attach }
  TPROF_DEVICE_PRIVILEGED = 1 shl 2;

  { TTProfConfig.Notice: the way in which an idle agent notices a host }
  TPROF_NOTICE_AUTO = 0; { by interrupt if possible, else as _LOOK }
  TPROF_NOTICE_LOOK = 1; { one core looks four times a second }
  { the kernel calls TProfPoll; at most four calls a second look }
  TPROF_NOTICE_POLL = 2;

  { TTProfConfig.Timer: what causes ticks }
  TPROF_TIMER_APIC = 0;   { the agent owns each core's local APIC timer }
  TPROF_TIMER_KERNEL = 1; { the kernel has a fixed tick: TProfTick, KernelHz }
  TPROF_TIMER_SHARED = 2; { its timer is one-shot: TProfTick, TProfDeadline }

  { TTProfConfig.Boot: samples that a ring keeps if it cannot keep all of boot }
  TPROF_BOOT_OLDEST = 1;
  TPROF_BOOT_NEWEST = 2; { the newest, in nearly half a ring at least }

  { TTProfConfig.CpuSource: ways for an interrupt to find its core }
  TPROF_CPU_APIC = 0;    { the APIC id: always right, but may be a VM exit }
  TPROF_CPU_GS = 1;      { LongWord at gs:[GsCpuOffset], counted from 0 }
  TPROF_CPU_TSC_AUX = 2; { RDTSCP: the agent owns TSC_AUX }
  TPROF_CPU_HOOK = 3;    { CpuIndex() }

  { TTProfConfig.Control: decisions of the host, in addition to begin and end }
  TPROF_CONTROL_LIMITED = 0; { rate and frames, within the limits }
  TPROF_CONTROL_FIXED = 1;   { no more: RateHz and MaxFrames hold }

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

  { A byte stream of the kernel's own to the host. TProfInit copies this record.
    One core at a time calls these functions, with interrupts off. Each does
    bounded work and never waits. Inside an interrupt it uses general registers
    only, as every hook must: vector registers have not been saved. }
  TTProfChannel = record
    Flags: LongWord;  { TPROF_CHANNEL_* }
    Context: Pointer; { handed to each function }
    { Is a host attached? 1: yes. 0: not now. Negative: the channel is dead. }
    Open: function(Context: Pointer): LongInt; cdecl;
    { Takes up to Size bytes and returns how many. 0: busy, try later.
      TPROF_ERR_CLOSED: the host went away. Other negative: it is dead. }
    Send: function(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
    { How many bytes that Send took are still being read. nil: Send copies. }
    Pending: function(Context: Pointer): LongWord; cdecl;
    { Copies up to Size received bytes and returns how many. Negative: as for
      Send. nil: nothing ever arrives. }
    Receive: function(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
  end;
  PTProfChannel = ^TTProfChannel;

  PTProfConfig = ^TTProfConfig; { below }

  { A way to the host other than virtio-serial: @TProfVsock. Opaque. }
  PTProfTransport = Pointer;

  { Where the device is. Without an address the agent finds a virtio-serial
    device that has a port named "tprof.0", or a vsock device. It passes over a
    device that a driver is using already. }
  TTProfDevice = record
    Bus: LongWord;      { TPROF_BUS_* }
    Flags: LongWord;    { TPROF_DEVICE_* }
    Address: QWord;     { as TPROF_BUS_* say; 0: find the device }
    CommandLine: PChar; { with virtio_mmio.device= entries; nil: none }
    { IO-APIC pin of an MMIO device, for notice by interrupt; 0: as the command
      line says }
    Irq: LongWord;
  end;

  { Facts that a hypervisor reports to its guests. A kernel that has this information
    already may give a record of its own, with every function. Memory is 64
    bytes, aligned to 64, for the hypervisor to write to; Config.Physical
    returns their physical address. }
  TTProfHypervisor = record
    { Returns the TSC's rate in Hz; 0: unknown. Memory is lent for this call. }
    TscHz: function(Config: PTProfConfig; Memory: Pointer): QWord; cdecl;
    { The calling core joins, or leaves. Memory is that core's own, and zero
      before the first call. }
    StartCpu: procedure(Config: PTProfConfig; Memory: Pointer); cdecl;
    StopCpu: procedure(Config: PTProfConfig; Memory: Pointer); cdecl;
    { Returns the time that the host took from the core with Memory, in ns,
      cumulative, or TPROF_STEAL_UNKNOWN. Any core may call it. }
    StealNs: function(Memory: Pointer): QWord; cdecl;
  end;
  PTProfHypervisor = ^TTProfHypervisor;

  TTProfConfig = record
    Version: LongWord; { TPROF_CONFIG_VERSION }

    { Rate and depth, unless the host asks for others. }
    RateHz: LongWord;    { samples a second and core, 1 to 100000; 0: 997 }
    MaxFrames: LongWord; { callers that are recorded, 1 to 127; 0: 64 }

    { Limits for the host's choice. }
    RateMaxHz: LongWord; { 1 to 100000; 0: 100000 }
    FramesMax: LongWord; { 1 to 127; 0: 127 }
    Control: LongWord;   { TPROF_CONTROL_* }

    { Memory, which the kernel gives for good. The first 24 KiB are physically
      contiguous, because a device reads them. }
    Memory: Pointer;     { nil: the memory of tprof_memory.ld, for 4 cores }
    MemorySize: PtrUInt; { bytes; TProfMemSize returns the necessary number }
    Cpus: LongWord;      { cores that may join, 1 to 256; 0: as memory allows }
    { bytes of each core's ring; a power of two, 4 KiB to 16 MiB; 0: 64 KiB }
    RingBytes: LongWord;
    { stacks that each core remembers, 8 bytes each; a power of two, 64 to 8192;
      0: 4096 }
    DictSlots: LongWord;
    { 1: a flight recorder: cores sample without a host, too }
    Always: LongWord;
    { TPROF_BOOT_*; 0: not. The first collector gets samples from boot on }
    Boot: LongWord;

    { The machine. }
    TscHz: QWord; { the TSC's rate; 0: the agent or the host measures it }
    Lapic: QWord; { virtual address of its registers; 0: the physical one }
    { the agent's interrupt vector, 32 to 239; 0: the highest of these whose gate
      is not present }
    Vector: LongWord;
    CpuSource: LongWord;   { TPROF_CPU_* }
    GsCpuOffset: LongWord; { TPROF_CPU_GS: bytes from the base of GS }
    Timer: LongWord;       { TPROF_TIMER_* }
    KernelHz: LongWord;    { TPROF_TIMER_KERNEL: calls of TProfTick a second }
    { TPROF_TIMER_APIC, 1: take a timer that the kernel or its firmware uses,
      instead of TPROF_ERR_TIMER_TAKEN. The other use ends. }
    TakeTimer: LongWord;
    Seed: QWord;           { of the random intervals; 0: another in each boot }
    Lending: Pointer;      { @TProfLendTimer; nil: the kernel leaves the timer }
    Nmi: Pointer;          { @TProfNmi: samples with interrupts off; nil: none }

    { The way to the host. }
    Device: TTProfDevice;
    Channel: PTProfChannel;     { used instead of Device and Transport }
    Transport: PTProfTransport; { nil: virtio-serial }
    Notice: LongWord;           { TPROF_NOTICE_* }

    { Facts from the hypervisor. nil: none. }
    Hypervisor: PTProfHypervisor;

    { Hooks; nil: the default. }
    Context: Pointer; { handed to each hook }
    { TPROF_CPU_HOOK: returns the calling core's number, counted from 0. }
    CpuIndex: function(Context: Pointer): LongWord; cdecl;
    { Makes Entry the calling core's handler of Vector. nil: the agent writes the
      IDT of the calling core. }
    InstallVector: function(Context: Pointer; Vector: LongWord;
                            Entry: Pointer): LongInt; cdecl;
    { Returns the physical address of Address. nil: they are equal. }
    Physical: function(Context, Address: Pointer): QWord; cdecl;
    { Returns the virtual address of Size bytes of device registers at physical
      address Address, mapped for good; nil: that is impossible. nil: registers
      are mapped at their physical address. }
    Map: function(Context: Pointer; Address: QWord;
                  Size: QWord): Pointer; cdecl;
    { Makes the device's interrupt arrive as Vector on the core with ApicId. nil:
      the agent programs MSI-X or the IO-APIC itself. }
    RouteIrq: function(Context: Pointer;
                       Vector, ApicId: LongWord): LongInt; cdecl;
    { TProfVsock: may the caller attach? Returns 1 or 0. nil: it may. }
    Accept: function(Context: Pointer; Cid: QWord;
                     Port: LongWord): LongInt; cdecl;

    { Where return addresses are valid; Size 0: the image's text. }
    Text: TTProfRange;
    { Where stacks lie, besides those in the image. Every byte here can be read
      at any time without a fault. Ascending addresses; unused entries, of Size
      0, come last. If an entry overlaps the image, only entries count. }
    Readable: array[0..TPROF_RANGES - 1] of TTProfRange;
  end;

  { The parts of the image. Equal pointers: that part is missing. }
  TTProfImage = record
    TextStart, TextEnd: Pointer;
    ImageStart, ImageEnd: Pointer;
    BuildId, BuildIdEnd: Pointer;
    Memory, MemoryEnd: Pointer;
  end;

  { One core's counters since TProfInit. Deadlines are Ticks + Missed, and
    Ticks = Samples + RingFull + Reentered. }
  TTProfStats = record
    Ticks: QWord;      { interrupts that were due to take a sample }
    Samples: QWord;    { samples that were written into the ring }
    Missed: QWord;     { deadlines that had no tick of their own }
    RingFull: QWord;   { ticks without a sample: the ring was full }
    Reentered: QWord;  { ticks without a sample: inside a hook }
    CostTsc: QWord;    { TSC ticks spent in ticks and in sending }
    CostMaxTsc: QWord; { TSC ticks spent in the longest of these }
    ByDivision: QWord; { ticks that cover too many deadlines to draw all }
    Stacks: QWord;     { stacks that were described to the host }
    Foreign: QWord;    { interrupts at the vector: neither tick nor work }
    { times that the agent took this core's timer back, after ticks had stayed
      away for long or the kernel had used the timer }
    Repaired: QWord;
    Faults: QWord; { faults of the walk that TProfFixup has mended }
    ApicId: LongWord;
    Started: LongWord; { 1: the core has joined, 0: it has left }
  end;

  { A further image, for example an application that the kernel has loaded:
    where the image's code lies, and how the host recognizes its ELF file. }
  TTProfMapping = record
    { Name of the image's file, at most 255 bytes, and the bytes of its build-id.
      tprof_map copies both. nil: it has none. }
    Name: PChar;
    BuildId: Pointer;
    BuildIdSize: LongWord; { bytes of the build-id, at most 64 }
    Start: QWord;          { run-time address of the code, not 0 }
    Size: QWord;           { bytes of the code, not 0 }
    LinkStart: QWord;      { address of Start in the image's ELF file }
  end;

  { Memory for the times of threads. Zero it before filling it in. }
  TTProfThreadsConfig = record
    Memory: Pointer;   { aligned to 64 bytes, given for ever }
    Size: PtrUInt;     { bytes: 640 a core, 128 a thread, 192 an entry of Waits }
    Threads: LongWord; { that live or have just ended, 16 to 65536; 0: 64 }
    Waits: LongWord;   { stacks at which threads wait or are woken; 0: 256 }
    Frames: LongWord;  { callers of such a stack, 1 to 16; 0: 16 }
  end;

  { Memory for the sums of locks. Zero it before filling it in. }
  TTProfLocksConfig = record
    Memory: Pointer; { aligned to 64 bytes, given for ever }
    Size: PtrUInt;   { bytes: 384 a lock, 320 an entry of Waits }
    Locks: LongWord; { 16 to 65536; 0: 64 }
    Waits: LongWord; { stacks at which threads wait or acquire, and threads that
                       wait at a time, 16 to 65536; 0: 256 }
  end;

  { Memory for the times of requests. Zero it before filling it in. }
  TTProfRequestsConfig = record
    Memory: Pointer;  { aligned to 64 bytes, given for ever }
    Size: PtrUInt;    { bytes: 20480 a kind, 128 an open request, 64 a slow one
                        of each kind }
    Kinds: LongWord;  { kinds of requests, 1 to 32; 0: 1 }
    Open: LongWord;   { open requests, 16 to 65536; 0: 256 }
    Slow: LongWord;   { slow requests of a kind that are told, 1 to 1024; 0: 32 }
  end;

  { Counts the kernel's work, for example the requests that it has answered.
    InterlockedExchangeAdd64(Counter.Units, 1) counts one more, on any core. }
  TTProfCounter = record
    Name: PChar;  { of what the units are, 63 bytes; it stays as it is }
    Units: QWord; { 0 at first }
  end;

var
  { The config of TProfStart: set here what differs from the defaults. }
  TProfSettings: TTProfConfig;

  { For TTProfConfig.Transport virtio-vsock, QEMU's debug port and a UART; for
    TTProfConfig.Hypervisor KVM. Each is linked only into a kernel that names
    it. }
  TProfVsock: Byte; external name 'tprof_vsock';
  TProfDebugcon: Byte; external name 'tprof_debugcon';
  TProfUart: Byte; external name 'tprof_uart';
  TProfKvm: TTProfHypervisor; external name 'tprof_kvm';

  { For TTProfConfig.Lending, in kernels that wait by a count of the timer of
    TPROF_TIMER_APIC, as Toro's Delay does. }
  TProfLendTimer: Byte; external name 'tprof_lend_timer';

  { For TTProfConfig.Nmi: samples of code that has interrupts off. }
  TProfNmi: Byte; external name 'tprof_nmi';

  { The image's slide: this variable's address, less the one in the ELF file. }
  TProfAnchor: Byte; external name 'tprof_anchor';

{
  Prepares the profiler and makes the calling core join. Call it once on the boot
  core, when its IDT is loaded and its local APIC is enabled. Each other core
  then calls TProfStartCpu. Nothing else is needed.

  Memory: MemorySize bytes of the heap, until TProfExit: 128 KiB for each core
  and 32 KiB for all. nil: the memory of tprof_memory.ld, for 4 cores.
  Stacks: the threads' stacks lie within these StacksSize bytes, which can be
  read at any time without a fault. nil: as TProfSettings.Readable says.
  CommandLine: the kernel's, which names the virtio-mmio devices; nil: none.

  Returns TPROF_OK, or the error of TProfInit or TProfStartCpu.
}
function TProfStart(Memory: Pointer; MemorySize: PtrUInt; Stacks: Pointer;
                    StacksSize: PtrUInt; CommandLine: PChar): LongInt;

{
  Prepares the agent, with what the linker's fragments say about the image. Call
  it once, on the boot core, before any other function.

  Returns TPROF_OK, or an error. After an error nothing was changed or claimed,
  and the kernel may call it again or go on without a profiler.
}
function TProfInit(constref Config: TTProfConfig): LongInt;

{ Prepares the agent as TProfInit does, for a kernel that is linked without the fragments. }
function TProfInitImage(constref Config: TTProfConfig;
                        constref Image: TTProfImage): LongInt;
  cdecl; external name 'tprof_init_image';

{ Returns the bytes of memory that Config needs for Config.Cpus cores (0: for
  one), or 0 if a field is out of its range. }
function TProfMemSize(constref Config: TTProfConfig): PtrUInt;
  cdecl; external name 'tprof_mem_size';

{ Joins the calling core. Call it once on each core, after the core's IDT is
  loaded and its local APIC is enabled. Returns TPROF_OK, or an error: then the
  core has not joined, and is as it was. }
function TProfStartCpu: LongInt; cdecl; external name 'tprof_start_cpu';

{ Makes the calling core leave. Its gate stays; its timer is the kernel's again. }
function TProfStopCpu: LongInt; cdecl; external name 'tprof_stop_cpu';

{ Undoes TProfInit: the device is reset, and Config.Memory is the kernel's again.
  Every other core must have called TProfStopCpu. Returns TPROF_OK or an
  error. }
function TProfExit: LongInt; cdecl; external name 'tprof_exit';

{ Sends samples and reads the host's orders, for a kernel's idle loop. It is needed
  where the channel is not TPROF_CHANNEL_IRQ_SAFE. Any core may call it, but not
  inside a tick. }
procedure TProfPoll; cdecl; external name 'tprof_poll';

{ TPROF_TIMER_KERNEL, TPROF_TIMER_SHARED: call this when the kernel's timer
  interrupt on this core has interrupted Regs. }
procedure TProfTick(constref Regs: TTProfRegs); cdecl; external name 'tprof_tick';

{ Has a load of the agent faulted? Call this first in the kernel's page-fault
  handler. Regs is the interrupted code. Returns 1: Regs.Rip is now the next
  instruction, and the handler returns there. Returns 0: the fault is not the
  agent's. }
function TProfFixup(var Regs: TTProfRegs): LongInt; cdecl; external name 'tprof_fixup';

{ TPROF_TIMER_SHARED: returns the TSC at which the calling core's timer must fire
  at the latest. A kernel without a fixed tick programs its timer for the earlier
  of its own deadline and this one. If the deadline has passed, the kernel
  makes the timer fire immediately. Interrupts must be off. }
function TProfDeadline: QWord; cdecl; external name 'tprof_deadline';

{ Sends all samples in the rings, for a guest that is about to exit. It gives up
  after 1,000 x Frames tries. Each try sends a part of a frame, or nothing
  while the device is busy. Returns 0 if everything is sent, otherwise 1. }
function TProfFlush(Frames: LongWord): LongInt; cdecl; external name 'tprof_flush';

{ Registers Mapping, which is copied, with the agent and the host. Its code must
  be mapped. Mappings that it overlaps are removed. Returns TPROF_OK; TPROF_ERR_NOT_INIT;
  TPROF_ERR_CONFIG if a field is out of its range or the code overlaps the
  kernel's text; TPROF_ERR_MEMORY_SMALL if there are TPROF_MAPPINGS others. }
function TProfMap(constref Mapping: TTProfMapping): LongInt;
  cdecl; external name 'tprof_map';

{ Removes the mapping whose code begins at Start, when its application has
  ended. Returns TPROF_OK; TPROF_ERR_NOT_INIT; TPROF_ERR_CONFIG if there is no
  such mapping. }
function TProfUnmap(Start: QWord): LongInt; cdecl; external name 'tprof_unmap';

{ Makes the collector show the cost of a unit of that work. Counter must stay at
  its address for ever. On one core at a time. Returns TPROF_OK;
  TPROF_ERR_NOT_INIT; TPROF_ERR_CONFIG if Counter has no name;
  TPROF_ERR_MEMORY_SMALL if there are TPROF_COUNTERS others. }
function TProfAddCounter(constref Counter: TTProfCounter): LongInt;
  cdecl; external name 'tprof_add_counter';

{ Marks this moment of the kernel's start with Name, a PChar that must not
  change. On one core at a time. Returns as TProfAddCounter does. }
function TProfMark(Name: PChar): LongInt; cdecl; external name 'tprof_mark';

{ Makes the agent keep names and times of threads. Once, after TProfInit.
  Returns TPROF_OK; TPROF_ERR_NOT_INIT; TPROF_ERR_STATE for a second call;
  TPROF_ERR_CONFIG; TPROF_ERR_MEMORY_SMALL. The functions below may be called in
  any context but an NMI, also before TProfInit. }
function TProfThreads(constref Config: TTProfThreadsConfig): LongInt;
  cdecl; external name 'tprof_threads';

{ Names the new thread Id, which is not 0. If another thread had this Id, that
  thread has ended. 31 bytes of Name are copied. TProfNameIdle names an idle
  thread, whose time counts as idle. Returns
  TPROF_OK; TPROF_ERR_STATE before TProfThreads; TPROF_ERR_CONFIG;
  TPROF_ERR_MEMORY_SMALL if too many threads live. }
function TProfName(Id: QWord; Name: PChar): LongInt; cdecl; external name 'tprof_name';
function TProfNameIdle(Id: QWord; Name: PChar): LongInt;
  cdecl; external name 'tprof_name_idle';

{ Reports that thread Id has ended. }
procedure TProfThreadEnd(Id: QWord); cdecl; external name 'tprof_thread_end';

{ Reports that this core runs thread Id from now on; 0: no thread. }
procedure TProfThread(Id: QWord); cdecl; external name 'tprof_thread';

{ Returns the word in which core Index has the id of its thread; nil: no such
  core. }
function TProfThreadSlot(Index: LongWord): PQWord;
  cdecl; external name 'tprof_thread_slot';

{ Reports that this core stops running thread From, and begins to run thread To_.
  Why: TPROF_BLOCKED, TPROF_READY or TPROF_ENDED. Must be called on the stack of
  From. }
procedure TProfSwitch(From, To_: QWord; Why: LongWord);
  cdecl; external name 'tprof_switch';

{ Reports that the blocked thread Id is ready to run from now on. The callers of
  this procedure are recorded as the code that ended the wait. }
procedure TProfWake(Id: QWord); cdecl; external name 'tprof_wake';

{ Makes the agent keep the sums of locks. Once, after TProfThreads. Returns
  TPROF_OK; TPROF_ERR_NOT_INIT before TProfThreads; TPROF_ERR_STATE for a second
  call; TPROF_ERR_CONFIG; TPROF_ERR_MEMORY_SMALL. The functions below may be
  called in any context but an NMI, also before TProfInit. }
function TProfLocks(constref Config: TTProfLocksConfig): LongInt;
  cdecl; external name 'tprof_locks';

{ Names the lock at the address Lock. 31 bytes of Name are copied. Returns
  TPROF_OK; TPROF_ERR_STATE before TProfLocks; TPROF_ERR_CONFIG;
  TPROF_ERR_MEMORY_SMALL if there are too many locks. }
function TProfLockName(Lock: Pointer; Name: PChar): LongInt;
  cdecl; external name 'tprof_lock_name';

{ Reports that another thread holds Lock, and that the caller begins to wait. }
procedure TProfWait(Lock: Pointer); cdecl; external name 'tprof_wait';

{ Reports that the caller has acquired Lock, with or without a wait. }
procedure TProfGot(Lock: Pointer); cdecl; external name 'tprof_got';

{ Reports that the caller releases Lock, which it still holds; or, after
  TProfWait without TProfGot, that it waits no longer. }
procedure TProfGave(Lock: Pointer); cdecl; external name 'tprof_gave';

{ Makes the agent keep the times of requests. Once, after TProfThreads. Returns
  TPROF_OK; TPROF_ERR_NOT_INIT before TProfThreads; TPROF_ERR_STATE for a second
  call; TPROF_ERR_CONFIG; TPROF_ERR_MEMORY_SMALL. }
function TProfRequests(constref Config: TTProfRequestsConfig): LongInt;
  cdecl; external name 'tprof_requests';

{ Names the requests of Kind, which is below Config.Kinds. 31 bytes of Name are
  copied. Returns TPROF_OK; TPROF_ERR_STATE before TProfRequests;
  TPROF_ERR_CONFIG. }
function TProfKind(Kind: LongWord; Name: PChar): LongInt;
  cdecl; external name 'tprof_kind';

{ Reports that this thread begins request Number, which is not 0 and not open. }
procedure TProfBegin(Kind: LongWord; Number: QWord);
  cdecl; external name 'tprof_begin';

{ Reports that request Number has come, and that no thread works on it yet. }
procedure TProfQueue(Kind: LongWord; Number: QWord);
  cdecl; external name 'tprof_queue';

{ Reports that this thread works on the open request Number from now on. 0: the
  thread puts its last request aside. }
procedure TProfRequest(Kind: LongWord; Number: QWord);
  cdecl; external name 'tprof_request';

{ Reports that request Number has ended. }
procedure TProfEnd(Kind: LongWord; Number: QWord);
  cdecl; external name 'tprof_end';

{ Reads the counters of Core. Returns TPROF_OK, or TPROF_ERR_CPU if no core with that
  number has ever joined. }
function TProfGetStats(Core: LongWord; out Stats: TTProfStats): LongInt;
  cdecl; external name 'tprof_get_stats';

{ Returns one line: the meaning of Error, and a remedy. Never nil. }
function TProfStrError(Error: LongInt): PChar; cdecl; external name 'tprof_strerror';

{ Returns TPROF_VERSION of the linked library. }
function TProfVersion: LongWord; cdecl; external name 'tprof_version';

implementation

{ Symbols of the fragments in linker/. A fragment that is not linked is at address
  0. Toro's compiler has no weak symbols: a kernel for Toro links tprof_bounds.ld
  and tprof_note.ld, and gives memory. }
{$MACRO ON}
{$IFDEF TORO}
  {$DEFINE FRAGMENT := external}
{$ELSE}
  {$DEFINE FRAGMENT := weakexternal}
{$ENDIF}

var
  TextStart: Byte; FRAGMENT name '__tprof_text_start';
  TextEnd: Byte; FRAGMENT name '__tprof_text_end';
  ImageStart: Byte; FRAGMENT name '__tprof_image_start';
  ImageEnd: Byte; FRAGMENT name '__tprof_image_end';
  BuildId: Byte; FRAGMENT name '__tprof_build_id';
  BuildIdEnd: Byte; FRAGMENT name '__tprof_build_id_end';
{$IFNDEF TORO}
  MemoryStart: Byte; FRAGMENT name '__tprof_memory';
  MemoryEnd: Byte; FRAGMENT name '__tprof_memory_end';
{$ENDIF}

function TProfInit(constref Config: TTProfConfig): LongInt;
var
  Image: TTProfImage;
begin
  { by code, since a constant's references would not be weak }
  Image.TextStart := @TextStart;
  Image.TextEnd := @TextEnd;
  Image.ImageStart := @ImageStart;
  Image.ImageEnd := @ImageEnd;
  Image.BuildId := @BuildId;
  Image.BuildIdEnd := @BuildIdEnd;
  Image.Memory := {$IFDEF TORO} nil {$ELSE} @MemoryStart {$ENDIF};
  Image.MemoryEnd := {$IFDEF TORO} nil {$ELSE} @MemoryEnd {$ENDIF};
  Result := TProfInitImage(Config, Image);
end;

{ Makes the image readable, where the boot core's stack lies as a rule, and
  Stacks. }
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
