{ SPDX-License-Identifier: BSD-2-Clause }
{
  The driver that claims the virtio-vsock device, and stream sockets over it: each
  listens on a port, for one peer at a time. Polled; who calls holds the driver's
  lock, with interrupts off.
}
unit VirtIOVSocket;

interface

const
  SOCKETS = 4;
  SOCKET_END = -1; { nothing more will come, or can be sent }

{ Claim the device, if there is one. Once, on core 0. }
procedure InitVSocket;
function HasVSocket: Boolean;

{ The lock: waited for, as AcquireSpinLock, or taken only if it is free. }
function EnterSockets: QWord;
function TryEnterSockets: Boolean;
procedure LeaveSockets(Flags: QWord);
procedure LeaveTriedSockets;

{ A socket for who connects to Port; at most SOCKETS of them. }
function SocketListen(Port: LongWord): LongInt;

{ Has somebody connected? Until SocketClose. }
function SocketIsOpen(Socket: LongInt): Boolean;

{ How many bytes were copied; 0: not now. }
function SocketSend(Socket: LongInt; Data: Pointer; Size: LongWord): LongInt;
function SocketRecv(Socket: LongInt; Data: Pointer; Size: LongWord): LongInt;

{ Part from the peer: the next one may come. }
procedure SocketClose(Socket: LongInt);

{ Take in what has come. }
procedure SocketPoll;

implementation

uses
  Arch, VirtIO;

const
  { Virtio 1.2, section 5.10 }
  KIND_VSOCK = 19;
  RECEIVE_QUEUE = 0;
  SEND_QUEUE = 1;
  EVENT_QUEUE = 2;
  STREAM = 1;
  OP_REQUEST = 1;
  OP_RESPONSE = 2;
  OP_RST = 3;
  OP_SHUTDOWN = 4;
  OP_RW = 5;
  OP_CREDIT_UPDATE = 6;
  OP_CREDIT_REQUEST = 7;
  SHUT_BOTH = 3; { the sender of a SHUTDOWN will neither receive nor send }

  PACKET_SIZE = 4096;
  HEADER_SIZE = 44;
  ROOM = 65536; { bytes that a socket keeps for its user }

type
  {$PACKRECORDS 4}
  THeader = record
    FromCid, ToCid: QWord;
    FromPort, ToPort: LongWord;
    Length: LongWord; { of the data behind it }
    Kind, Op: Word;
    Flags: LongWord;
    Room, Taken: LongWord; { the sender's whole buffer; ever taken from it }
  end;
  PPacket = ^TPacket;
  TPacket = record
    Header: THeader;
    Data: array[0..PACKET_SIZE - HEADER_SIZE - 1] of Byte;
  end;
  PPackets = ^TPackets;
  TPackets = array[0..QUEUE_LEN - 1] of TPacket;

  { ssParting: its user has closed it, and the peer is still to be told }
  TSocketState = (ssListening, ssOpen, ssEnded, ssParting);
  TSocket = record
    Port: LongWord; { 0: unused }
    State: TSocketState;
    Silent: Boolean; { the peer sends no more }
    PeerCid: QWord;
    PeerPort: LongWord;
    Sent, PeerTaken, PeerRoom: LongWord; { bytes since it began, wrapping }
    Received, Taken, Told: LongWord;
    Buffer: PByte; { ROOM bytes }
  end;

var
  Lock: LongWord;
  Cid: QWord;
  Receiving, Sending, Events: TVirtQueue;
  Came, Going: PPackets; { nil: there is no device }
  Idle: array[0..QUEUE_LEN - 1] of Boolean; { of Going }
  Sockets_: array[0..SOCKETS - 1] of TSocket;

function EnterSockets: QWord;
begin
  Result := AcquireSpinLock(Lock);
end;

function TryEnterSockets: Boolean;
begin
  Result := Exchange(Lock, 1) = 0;
end;

procedure LeaveSockets(Flags: QWord);
begin
  ReleaseSpinLock(Lock, Flags);
end;

procedure LeaveTriedSockets;
begin
  Exchange(Lock, 0);
end;

function HasVSocket: Boolean;
begin
  Result := Came <> nil;
end;

procedure InitVSocket;
var
  Base: QWord;
  I: LongWord;
begin
  Base := NextDevice(KIND_VSOCK, 0);
  if (Base = 0) or not BeginDevice(Base) then
    Exit;
  Came := DeviceMemory(SizeOf(TPackets));
  Going := DeviceMemory(SizeOf(TPackets));
  InitQueue(Receiving, Base, RECEIVE_QUEUE, Came, PACKET_SIZE, True);
  InitQueue(Sending, Base, SEND_QUEUE, Going, PACKET_SIZE, False);
  InitQueue(Events, Base, EVENT_QUEUE, DeviceMemory(4 * QUEUE_LEN), 4, True);
  StartDevice(Base);
  for I := 0 to QUEUE_LEN - 1 do
  begin
    AddBuffer(Receiving, I);
    AddBuffer(Events, I);
    Idle[I] := True;
  end;
  Kick(Receiving);
  Kick(Events);
  Cid := DeviceConfig(Base);
end;

{ A packet that the device does not have; -1: it has them all. }
function FreePacket: LongInt;
var
  Unused: LongWord;
begin
  Result := Reap(Sending, Unused);
  while Result >= 0 do
  begin
    Idle[Result] := True;
    Result := Reap(Sending, Unused);
  end;
  for Result := 0 to QUEUE_LEN - 1 do
    if Idle[Result] then
      Exit;
  Result := -1;
end;

{ Packet Id, its Length bytes of data already in it, leaves for Socket's peer. }
procedure SendPacket(var Socket: TSocket; Id: LongInt; Op, Length: LongWord);
begin
  with Going^[Id].Header do
  begin
    FromCid := Cid;
    ToCid := Socket.PeerCid;
    FromPort := Socket.Port;
    ToPort := Socket.PeerPort;
    Kind := STREAM;
    Flags := 0;
    Room := VirtIOVSocket.ROOM;
    Taken := Socket.Taken;
  end;
  Going^[Id].Header.Op := Op;
  Going^[Id].Header.Length := Length;
  if Op = OP_SHUTDOWN then
    Going^[Id].Header.Flags := SHUT_BOTH;
  Socket.Told := Socket.Taken;
  Idle[Id] := False;
  AddMessage(Sending, Id, HEADER_SIZE + Length);
  Kick(Sending);
end;

{ A packet without data; there is one to be had. }
procedure Say(var Socket: TSocket; Op: LongWord);
begin
  SendPacket(Socket, FreePacket, Op, 0);
end;

{ The answer to a packet that belongs to no socket. }
procedure Refuse(const Header: THeader);
var
  Nobody: TSocket;
begin
  Nobody.Port := Header.ToPort;
  Nobody.PeerCid := Header.FromCid;
  Nobody.PeerPort := Header.FromPort;
  Nobody.Taken := 0;
  if Header.Op <> OP_RST then
    Say(Nobody, OP_RST);
end;

procedure Accept(var Socket: TSocket; const Header: THeader);
begin
  with Socket do
  begin
    State := ssOpen;
    Silent := False;
    PeerCid := Header.FromCid;
    PeerPort := Header.FromPort;
    PeerRoom := Header.Room;
    PeerTaken := Header.Taken;
    Sent := 0;
    Received := 0;
    Taken := 0;
  end;
  Say(Socket, OP_RESPONSE);
end;

{ The sender knows how much room there is. }
procedure Store(var Socket: TSocket; const Packet: TPacket);
var
  I: LongWord;
begin
  I := 0;
  while I < Packet.Header.Length do
  begin
    Socket.Buffer[(Socket.Received + I) mod ROOM] := Packet.Data[I];
    Inc(I);
  end;
  Inc(Socket.Received, I);
end;

{ What its peer says to Socket. }
procedure Hear(var Socket: TSocket; const Packet: TPacket);
begin
  Socket.PeerTaken := Packet.Header.Taken;
  Socket.PeerRoom := Packet.Header.Room;
  case Packet.Header.Op of
    OP_RW: Store(Socket, Packet);
    OP_CREDIT_UPDATE: ;
    OP_CREDIT_REQUEST: Say(Socket, OP_CREDIT_UPDATE);
    OP_SHUTDOWN: Socket.Silent := True;
  end;
  if (Packet.Header.Op = OP_RST) or
     ((Packet.Header.Op = OP_SHUTDOWN) and (Packet.Header.Flags = SHUT_BOTH)) then
  begin
    Refuse(Packet.Header); { to a SHUTDOWN it is the last word }
    Socket.State := ssEnded;
  end;
end;

procedure TakeIn(const Packet: TPacket);
var
  I: LongInt;
begin
  for I := 0 to SOCKETS - 1 do
    with Sockets_[I] do
      if Port = Packet.Header.ToPort then
      begin
        if (State = ssListening) and (Packet.Header.Op = OP_REQUEST) then
          Accept(Sockets_[I], Packet.Header)
        else if (State = ssOpen) and (PeerPort = Packet.Header.FromPort) then
          Hear(Sockets_[I], Packet)
        else
          Refuse(Packet.Header);
        Exit;
      end;
  Refuse(Packet.Header);
end;

{ Say what SocketClose could not, as the device had all packets. False: not yet. }
function SayFarewells: Boolean;
var
  I: LongInt;
begin
  for I := 0 to SOCKETS - 1 do
    if Sockets_[I].State = ssParting then
      SocketClose(I);
  Result := True;
  for I := 0 to SOCKETS - 1 do
    Result := Result and (Sockets_[I].State <> ssParting);
end;

procedure SocketPoll;
var
  Id: LongInt;
  Length: LongWord;
begin
  { a packet is looked at when there is one to answer it with, and no socket is
    parting any more, which would refuse who calls it }
  while SayFarewells and (FreePacket >= 0) do
  begin
    Id := Reap(Receiving, Length);
    if Id < 0 then
      Exit;
    TakeIn(Came^[Id]);
    AddBuffer(Receiving, Id);
    Kick(Receiving);
  end;
end;

function SocketListen(Port: LongWord): LongInt;
begin
  Result := 0;
  while Sockets_[Result].Port <> 0 do
    Inc(Result);
  Sockets_[Result].Port := Port;
  Sockets_[Result].Buffer := DeviceMemory(ROOM);
end;

function SocketIsOpen(Socket: LongInt): Boolean;
begin
  Result := Sockets_[Socket].State in [ssOpen, ssEnded];
end;

function SocketSend(Socket: LongInt; Data: Pointer; Size: LongWord): LongInt;
var
  Id: LongInt;
  Credit: LongWord;
begin
  with Sockets_[Socket] do
  begin
    if State <> ssOpen then
      Exit(SOCKET_END);
    Id := FreePacket;
    Credit := PeerRoom - (Sent - PeerTaken);
    if Size > Credit then
      Size := Credit;
    if Size > PACKET_SIZE - HEADER_SIZE then
      Size := PACKET_SIZE - HEADER_SIZE;
    if (Id < 0) or (Size = 0) then
      Exit(0);
    CopyBytes(Data, @Going^[Id].Data, Size);
    Inc(Sent, Size);
  end;
  SendPacket(Sockets_[Socket], Id, OP_RW, Size);
  Result := Size;
end;

function SocketRecv(Socket: LongInt; Data: Pointer; Size: LongWord): LongInt;
begin
  with Sockets_[Socket] do
  begin
    Result := 0;
    while (Result < Size) and (Taken <> Received) do
    begin
      PByte(Data)[Result] := Buffer[Taken mod ROOM];
      Inc(Taken);
      Inc(Result);
    end;
    if (Result = 0) and (Silent or (State = ssEnded)) then
      Exit(SOCKET_END);
    if (State = ssOpen) and (Taken - Told >= ROOM div 4) and (FreePacket >= 0) then
      Say(Sockets_[Socket], OP_CREDIT_UPDATE);
  end;
end;

procedure SocketClose(Socket: LongInt);
begin
  with Sockets_[Socket] do
  begin
    if State in [ssListening, ssEnded] then
      State := ssListening
    else if FreePacket < 0 then
      State := ssParting
    else
    begin
      Say(Sockets_[Socket], OP_SHUTDOWN); { it answers RST, which we need not hear }
      State := ssListening;
    end;
  end;
end;

end.
