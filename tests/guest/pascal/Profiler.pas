{ SPDX-License-Identifier: BSD-2-Clause }
{
  How the profiler gets out of a kernel whose drivers claim every virtio-serial
  and the vsock device. Options:

    serial=ADDRESS  by the virtio-serial device there, which the kernel leaves alone
    sockets=1       by the kernel's vsock driver, port 7077
    debugcon=1      by port 0xe9, which no driver of the kernel's uses
    uart=1          by COM1, with the console elsewhere
    wire=1          by a function of the kernel's that writes to port 0xe9
                    and, without any of them, by the device that it finds
    rate=HZ seed=N tsc=HZ  as in TTProfConfig
}
unit Profiler;

interface

{ Claim the kernel's devices, and leave the profiler its own. Once, on core 0. }
procedure InitDrivers;

{ Start the profiler; other cores call TProfStartCpu. Ends the machine if it cannot.
  Early: before there are other cores, memory and drivers. }
procedure StartProfiler(Early: Boolean);

{ Ends the machine with Error's words, unless it is TPROF_OK. }
procedure Must(Error: LongInt);

{ For the idle loop of one core: serve the kernel's sockets, and the profiler's.
  False: somebody has connected to port 1, and wants the machine to end. }
function ServeSockets: Boolean;

{ Bytes that port 7 has echoed. }
function BytesEchoed: QWord;

implementation

uses
  Arch, Memory, Console, VirtIOConsole, VirtIOVSocket, TProf;

const
  CORE_MEMORY = 128 * 1024; { of the profiler }
  SHARED_MEMORY = 64 * 1024;
  WIRE_PORT = $E9;
  END_PORT = 1;
  ECHO_PORT = 7;
  PROFILER_PORT = 7077;
  ECHO_SIZE = 4096;

var
  Ending, Echo, Session: LongInt; { sockets }
  EchoBuffer: array[0..ECHO_SIZE - 1] of Byte;
  EchoFirst, EchoEnd: LongInt; { what is in it }
  Echoed: QWord;

procedure Must(Error: LongInt);
begin
  if Error = TPROF_OK then
    Exit;
  WriteText(TProfStrError(Error));
  Shutdown(1);
end;

function WireOpen(Context: Pointer): LongInt; cdecl;
begin
  Result := 1;
end;

function WireSend(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
begin
  WriteBlock(Data, Size, WIRE_PORT);
  Result := Size;
end;

{ The profiler's socket: its functions do not wait for the driver's lock, which
  another core may hold. They are called by TProfPoll alone. }

function SessionOpen(Context: Pointer): LongInt; cdecl;
begin
  Result := Ord(SocketIsOpen(Session));
end;

{ Done is what the driver says. }
function LeaveSession(Done: LongInt): LongInt;
begin
  Result := Done;
  if Done = SOCKET_END then
  begin
    SocketClose(Session);
    Result := TPROF_ERR_CLOSED;
  end;
  LeaveTriedSockets;
end;

function SessionSend(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
begin
  if not TryEnterSockets then
    Exit(0);
  SocketPoll;
  Result := LeaveSession(SocketSend(Session, Data, Size));
end;

function SessionReceive(Context, Data: Pointer; Size: LongWord): LongInt; cdecl;
begin
  if not TryEnterSockets then
    Exit(0);
  SocketPoll;
  Result := LeaveSession(SocketRecv(Session, Data, Size));
end;

const
  Wire: TTProfChannel = (
    Flags: TPROF_CHANNEL_ONE_WAY or TPROF_CHANNEL_IRQ_SAFE;
    Context: nil;
    Open: @WireOpen;
    Send: @WireSend;
    Pending: nil;
    Receive: nil;
  );
  SocketChannel: TTProfChannel = (
    Flags: 0;
    Context: nil;
    Open: @SessionOpen;
    Send: @SessionSend;
    Pending: nil;
    Receive: @SessionReceive;
  );

{ The kernel's own user of its driver: what comes goes back. }
procedure ServeEcho;
var
  Sent: LongInt;
begin
  if not SocketIsOpen(Echo) then
    Exit;
  if EchoFirst = EchoEnd then
  begin
    EchoFirst := 0;
    EchoEnd := SocketRecv(Echo, @EchoBuffer, ECHO_SIZE);
  end;
  Sent := SOCKET_END;
  if EchoEnd <> SOCKET_END then
    Sent := SocketSend(Echo, @EchoBuffer[EchoFirst], EchoEnd - EchoFirst);
  if Sent <> SOCKET_END then
  begin
    Inc(EchoFirst, Sent);
    Inc(Echoed, Sent);
    Exit;
  end;
  SocketClose(Echo);
  EchoFirst := 0;
  EchoEnd := 0;
end;

function ServeSockets: Boolean;
var
  Flags: QWord;
begin
  if not HasVSocket then
  begin
    TProfPoll;
    Exit(True);
  end;
  Flags := EnterSockets;
  SocketPoll;
  ServeEcho;
  Result := not SocketIsOpen(Ending);
  LeaveSockets(Flags);
  TProfPoll; { the lock is free }
end;

function BytesEchoed: QWord;
begin
  Result := Echoed;
end;

procedure InitDrivers;
begin
  InitConsole(KernelOption('serial=', 0));
  InitVSocket;
  if HasVSocket then
  begin
    Ending := SocketListen(END_PORT);
    Echo := SocketListen(ECHO_PORT);
    Session := SocketListen(PROFILER_PORT);
  end;
end;

{ Say which way is open to the profiler. }
procedure ChooseWay;
begin
  TProfSettings.Device.Address := KernelOption('serial=', 0);
  if TProfSettings.Device.Address <> 0 then
    TProfSettings.Device.Bus := TPROF_BUS_MMIO;
  if KernelOption('sockets=', 0) <> 0 then
    TProfSettings.Channel := @SocketChannel;
  if KernelOption('debugcon=', 0) <> 0 then
    TProfSettings.Transport := @TProfDebugcon;
  if KernelOption('uart=', 0) <> 0 then
    TProfSettings.Transport := @TProfUart;
  if KernelOption('wire=', 0) <> 0 then
    TProfSettings.Channel := @Wire;
end;

var
  ImageMemory: array[1..SHARED_MEMORY + MAX_CPU * CORE_MEMORY] of Byte;

procedure StartProfiler(Early: Boolean);
var
  Memory: Pointer;
  Size: PtrUInt;
begin
  ChooseWay;
  TProfSettings.RateHz := KernelOption('rate=', 0);
  TProfSettings.TscHz := KernelOption('tsc=', 0);
  TProfSettings.Seed := KernelOption('seed=', 0);
  TProfSettings.CpuSource := TPROF_CPU_GS;
  TProfSettings.Lending := @TProfLendTimer;
  Memory := @ImageMemory;
  Size := SizeOf(ImageMemory);
  if not Early then
  begin
    Size := SHARED_MEMORY + CoreCount * CORE_MEMORY;
    Memory := ToroGetMem(Size);
  end;
  Must(TProfStart(Memory, Size, Pointer(HEAP_START), HEAP_SIZE, CommandLine));
end;

end.
