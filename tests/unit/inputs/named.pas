{ SPDX-License-Identifier: BSD-2-Clause }
{ The program around names.pas, which holds on to all of it. }
program Named;

{$MODE ObjFPC}

uses
  Names;

procedure InProgram(P: Pointer);
begin
end;

begin
  InProgram(nil);
  TMeter.Create(1).Add(2);
  With_Under(1, 2.0);
end.
