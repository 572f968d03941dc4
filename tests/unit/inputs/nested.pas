{ SPDX-License-Identifier: BSD-2-Clause }
{ A procedure in a procedure, which Pascal's debug information nests. }
program nested;

procedure outer(a: longint);

  procedure inner(b: longint);
  begin
    if b > 0 then
      inner(b - 1);
    writeln(a, b);
  end;

begin
  inner(a);
end;

begin
  outer(3);
end.
