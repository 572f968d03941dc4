{ SPDX-License-Identifier: BSD-2-Clause }
{ Toro: what PORTING.md uses of its units Memory, Console and Arch. }
unit Kernel;

interface

function ToroGetMem(Size: PtrUInt): Pointer;
procedure WriteConsoleF(const Format: AnsiString; const Args: array of PtrUInt);
function KernelCommandLine: PChar;

implementation

function ToroGetMem(Size: PtrUInt): Pointer; external name 'toro_getmem';
procedure WriteConsoleF(const Format: AnsiString; const Args: array of PtrUInt); external name 'toro_write';
function KernelCommandLine: PChar; external name 'toro_line';

end.
