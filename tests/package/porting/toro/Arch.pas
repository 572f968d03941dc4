{ SPDX-License-Identifier: BSD-2-Clause }
{ Toro: what agent/porting/toro.md uses of its unit Arch. }
unit Arch;

interface

const
  MEM_AVAILABLE = 1;

type
  TMemoryRegion = record
    Base, Length: QWord;
    Flag: Word;
  end;
  PMemoryRegion = ^TMemoryRegion;

var
  CPU_COUNT: LongInt;

function GetCoreId: Byte;
function GetMemoryRegion(ID: LongInt; Buffer: PMemoryRegion): LongInt;
procedure CaptureInt(int: Byte; Handler: Pointer);
procedure Interruption_Ignore;

implementation

function GetCoreId: Byte; external name 'toro_core';
function GetMemoryRegion(ID: LongInt; Buffer: PMemoryRegion): LongInt; external name 'toro_region';
procedure CaptureInt(int: Byte; Handler: Pointer); external name 'toro_capture';
procedure Interruption_Ignore; external name 'toro_ignore';

end.
