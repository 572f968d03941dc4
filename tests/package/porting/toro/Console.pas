{ SPDX-License-Identifier: BSD-2-Clause }
{ Toro: what agent/porting/toro.md uses of its unit Console. }
unit Console;

interface

procedure WriteConsoleF(const Format: PChar; const Args: array of PtrUInt);

implementation

procedure WriteConsoleF(const Format: PChar; const Args: array of PtrUInt); external name 'toro_write';

end.
