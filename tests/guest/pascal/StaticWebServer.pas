{ SPDX-License-Identifier: BSD-2-Clause }
{
  A web server whose time goes where that of Toro's StaticWebServer went: into
  Move. Each request copies the file out of the file system, and once more into
  packets. On each core a thread serves, and another one asks and checks.

  Options: cycles=N  ends after N cycles of the TSC (default 300000000; 0: never)
           agent=0   without the profiler; else its ways out are in Profiler.pas
           wait=1    begin when it samples
}
program StaticWebServer;

uses
  Arch, Memory, Console, Process, VirtIO, Profiler, TProf;

const
  FILES = 4;
  PACKET_SIZE = 4096;
  REQUEST_SIZE = 64;
  ANSWER_SIZE = 32768;
  CHECK_STEP = 1024; { every so many answers are compared to the last byte }
  FLUSH_FRAMES = 100000;
  Header: PChar = 'HTTP/1.1 200 OK'#13#10'Content-Type: text/html'#13#10#13#10;

type
  PFile = ^TFile;
  TFile = record
    Name: PChar;
    Size: PtrUInt;
    Content: PByte;
  end;

  { Between the one that asks and the one that serves, of one core. }
  PConnection = ^TConnection;
  TConnection = record
    Request: array[0..REQUEST_SIZE - 1] of Char;
    Asked: LongWord; { 1: the server's turn }
    Page: PByte;     { the server's buffer, for a file }
    Answer: PByte;   { what has arrived }
    Length: PtrUInt; { of it }
    Random: QWord;
    Answers, BytesRead, BytesSent: QWord; { so far }
  end;

var
  Site: array[0..FILES - 1] of TFile = (
    (Name: '/index.html'; Size: 5000; Content: nil),
    (Name: '/about.html'; Size: 11000; Content: nil),
    (Name: '/style.css'; Size: 2500; Content: nil),
    (Name: '/logo.svg'; Size: 21000; Content: nil)
  );
  Connections: array[0..MAX_CPU - 1] of TConnection;
  BootStacks: array[0..MAX_CPU * BOOT_STACK_SIZE - 1] of Byte;
  Joined: array[0..MAX_CPU - 1] of Boolean;
  Served: TTProfCounter; { requests }
  WithAgent: Boolean;
  Cycles, Start: QWord;
  Over, Errors: LongWord;

{ Between these tests/support/plugin_truth.c counts; see marks.h. }
procedure TruthBegin; cdecl; external name 'truth_begin';
procedure TruthEnd; cdecl; external name 'truth_end';

function NextRandom(var Connection: TConnection): LongWord;
begin
  with Connection do
  begin
    Random := Random xor (Random shl 13);
    Random := Random xor (Random shr 7);
    Random := Random xor (Random shl 17);
    Result := Random shr 32;
  end;
end;

{ Is Name at the beginning of Text, and a blank behind it? }
function IsNamed(Text, Name: PChar): Boolean;
begin
  while (Name^ <> #0) and (Text^ = Name^) do
  begin
    Inc(Text);
    Inc(Name);
  end;
  Result := (Name^ = #0) and (Text^ = ' ');
end;

function FindFile(Request: PChar): PFile;
var
  I: LongWord;
begin
  Inc(Request, 4); { GET }
  for I := 0 to FILES - 1 do
    if IsNamed(Request, Site[I].Name) then
      Exit(@Site[I]);
  Result := nil;
end;

{ What a file system does that keeps its files to itself. }
procedure ReadFile(var Connection: TConnection; Content: PByte; Size: PtrUInt);
begin
  Move(Content^, Connection.Page^, Size);
  Connection.BytesRead := Connection.BytesRead + Size;
end;

{ What a driver does that has buffers of its own. }
procedure SendPacket(var Connection: TConnection; Data: PByte; Size: PtrUInt);
begin
  Move(Data^, Connection.Answer[Connection.Length], Size);
  Connection.Length := Connection.Length + Size;
  Connection.BytesSent := Connection.BytesSent + Size;
end;

procedure Send(var Connection: TConnection; Data: PByte; Size: PtrUInt);
begin
  while Size > PACKET_SIZE do
  begin
    SendPacket(Connection, Data, PACKET_SIZE);
    Inc(Data, PACKET_SIZE);
    Size := Size - PACKET_SIZE;
  end;
  SendPacket(Connection, Data, Size);
end;

function TextLength(Text: PChar): PtrUInt;
begin
  Result := 0;
  while Text[Result] <> #0 do
    Inc(Result);
end;

procedure ServeRequest(var Connection: TConnection);
var
  Asked: PFile;
begin
  Connection.Length := 0;
  Asked := FindFile(@Connection.Request);
  if Asked = nil then
    Exit;
  ReadFile(Connection, Asked^.Content, Asked^.Size);
  Send(Connection, PByte(Header), TextLength(Header));
  Send(Connection, Connection.Page, Asked^.Size);
end;

function Serve(Param: Pointer): Int64;
var
  Connection: PConnection;
begin
  Result := 0;
  Connection := Param;
  repeat
    WaitWhile(Connection^.Asked, 0);
    ServeRequest(Connection^);
    Connection^.Asked := 0;
  until False;
end;

procedure MakeRequest(var Connection: TConnection; Name: PChar);
const
  Get: PChar = 'GET ';
  Version: PChar = ' HTTP/1.1'#13#10;
var
  Target: PChar;

  procedure Add(Text: PChar);
  begin
    while Text^ <> #0 do
    begin
      Target^ := Text^;
      Inc(Target);
      Inc(Text);
    end;
  end;

begin
  Target := @Connection.Request;
  Add(Get);
  Add(Name);
  Add(Version);
end;

procedure CheckAnswer(const Connection: TConnection; const Asked: TFile);
var
  I, Before: PtrUInt;
begin
  Before := TextLength(Header);
  if Connection.Length <> Before + Asked.Size then
    Inc(Errors);
  if Connection.Answers mod CHECK_STEP <> 0 then
    Exit;
  for I := 0 to Before - 1 do
    if Connection.Answer[I] <> Ord(Header[I]) then
      Inc(Errors);
  for I := 0 to Asked.Size - 1 do
    if Connection.Answer[Before + I] <> Asked.Content[I] then
      Inc(Errors);
end;

{ The first thread that sees the time be over ends the machine. }
procedure Finish;
var
  Core: LongWord;
  Took, Answers, BytesRead, BytesSent: QWord;
begin
  TruthEnd;
  Took := ReadRdtsc - Start;
  if Exchange(Over, 1) <> 0 then
    repeat
      SysThreadSwitch;
    until False;
  if WithAgent then
    TProfFlush(FLUSH_FRAMES);
  Answers := 0;
  BytesRead := 0;
  BytesSent := 0;
  for Core := 0 to CoreCount - 1 do
  begin
    Answers := Answers + Connections[Core].Answers;
    BytesRead := BytesRead + Connections[Core].BytesRead;
    BytesSent := BytesSent + Connections[Core].BytesSent;
  end;
  WriteConsoleF('web: %d bytes read, %d bytes sent', [BytesRead, BytesSent]);
  WriteConsoleF('web: %d cores, %d requests, %d cycles, %d errors',
                [CoreCount, Answers, Took, Errors]);
  Shutdown(Errors);
end;

function Ask(Param: Pointer): Int64;
var
  Connection: PConnection;
  Asked: PFile;
begin
  Result := 0;
  Connection := Param;
  TruthBegin;
  repeat
    Asked := @Site[NextRandom(Connection^) mod FILES];
    MakeRequest(Connection^, Asked^.Name);
    Connection^.Asked := 1;
    WaitWhile(Connection^.Asked, 1);
    CheckAnswer(Connection^, Asked^);
    Inc(Connection^.Answers);
    AddTo(Served.Units, 1);
    if (Cycles <> 0) and (ReadRdtsc - Start >= Cycles) then
      Finish;
  until False;
end;

procedure OtherCore;
begin
  StartThreads;
end;

{ A thread of each other core. }
function Join(Param: Pointer): Int64;
begin
  Result := 0;
  Must(TProfStartCpu);
  Joined[GetCoreId] := True;
  StopThread;
end;

procedure StartProfilerOnAllCores;
var
  Core: LongWord;
begin
  StartProfiler(False);
  Served.Name := 'requests';
  Must(TProfAddCounter(Served));
  for Core := 1 to CoreCount - 1 do
    BeginThread(Core, 'Join', 0, @Join, nil, ceItself);
  for Core := 1 to CoreCount - 1 do
    while not Joined[Core] do
      SysThreadSwitch;
end;

{ Samples are taken on each core. }
procedure WaitForSampling;
var
  Core: LongWord;
  Stats: TTProfStats;
begin
  for Core := 0 to CoreCount - 1 do
    repeat
      Must(TProfGetStats(Core, Stats));
    until Stats.Samples <> 0;
end;

procedure MakeSite;
var
  I, At: PtrUInt;
begin
  for I := 0 to FILES - 1 do
  begin
    Site[I].Content := ToroGetMem(Site[I].Size);
    for At := 0 to Site[I].Size - 1 do
      Site[I].Content[At] := Byte(At * 7 + I);
  end;
end;

procedure BeginConnection(Core: LongWord);
begin
  with Connections[Core] do
  begin
    Page := ToroGetMem(ANSWER_SIZE);
    Answer := ToroGetMem(ANSWER_SIZE);
    Random := (Core + 1) * $9E3779B97F4A7C15;
  end;
  BeginThread(Core, 'Serve', 0, @Serve, @Connections[Core], ceItself);
  BeginThread(Core, 'Ask', 0, @Ask, @Connections[Core], ceZero);
end;

{ The program, as far as the kernel is concerned. }
function MainThread(Param: Pointer): Int64;
var
  Core: LongWord;
begin
  Result := 0;
  MakeSite;
  if WithAgent then
    StartProfilerOnAllCores;
  if WithAgent and (KernelOption('wait=', 0) <> 0) then
    WaitForSampling;
  WriteConsoleF('web: %d cores', [CoreCount]);
  Start := ReadRdtsc;
  for Core := 0 to CoreCount - 1 do
    BeginConnection(Core);
  StopThread;
end;

begin
  ArchInit;
  Cycles := KernelOption('cycles=', 300000000);
  WithAgent := KernelOption('agent=', 1) <> 0;
  StartCores(@BootStacks, @OtherCore);
  MapEverything(DeviceMemory(MAP_SIZE));
  InitDrivers;
  BeginThread(0, 'Main', 0, @MainThread, nil, ceZero);
  StartThreads;
end.
