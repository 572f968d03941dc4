{ SPDX-License-Identifier: BSD-2-Clause }
{ ObjPas: linked by the compiler in modes objfpc and delphi; empty here. }
unit ObjPas;

interface

implementation

end.
