{ SPDX-License-Identifier: BSD-2-Clause }
{ Code whose stacks are walked while it runs, as walked.c. }
program walked;
{$mode objfpc}

type
  TMaker = function(n: Int64): Int64;

  TShape = class
    function Area(n: Int64): Int64; virtual;
  end;

  TRing = class(TShape)
    function Area(n: Int64): Int64; override;
  end;

var
  State: UInt32 = 1;
  Sum: Int64;
  Shapes: array[0..1] of TShape;
  Makers: array[0..2] of TMaker;
  Turn: Int64;

function NextRandom: UInt32;
begin
  State := State xor (State shl 13);
  State := State xor (State shr 17);
  State := State xor (State shl 5);
  Result := State;
end;

function Full(a, b, c, d: Int64): Int64;
var
  e, f, g: Int64;
  i: Integer;
begin
  e := NextRandom;
  f := NextRandom;
  g := e xor f;
  for i := 0 to d and 3 do
  begin
    a := a + b * e;
    b := b xor c + f;
    c := c - d xor g;
    g := g + a;
  end;
  Result := a xor b xor c xor d xor e xor f xor g;
end;

function Deep(n: Int64): Int64;
begin
  if n < 2 then
    Result := Full(n, n, n, n)
  else
    Result := Deep(n - 1) * 3 + n;
end;

function Nested(n: Int64): Int64;
var
  Total: Int64;

  procedure Add(m: Int64);
  begin
    Total := Total + Full(m, n, m, n);
  end;

begin
  Total := 0;
  Add(n);
  Add(n + 1);
  Result := Total;
end;

function TShape.Area(n: Int64): Int64;
begin
  Result := Deep(n and 7);
end;

function TRing.Area(n: Int64): Int64;
begin
  Result := inherited Area(n) + Nested(n);
end;

function Texts(n: Int64): Int64;
var
  s: string[40];
begin
  Str(n, s);
  s := s + ' words';
  Result := Pos('o', s) + Length(Copy(s, 2, 3));
end;

function Guarded(n: Int64): Int64;
begin
  Result := 0;
  try
    Result := Full(n, n, n, 1);
  finally
    Result := Result + Deep(2);
  end;
end;

procedure Sort(var v: array of UInt32);
var
  i, j: Integer;
  t: UInt32;
begin
  for i := 1 to High(v) do
  begin
    j := i;
    while (j > 0) and (v[j - 1] > v[j]) do
    begin
      t := v[j];
      v[j] := v[j - 1];
      v[j - 1] := t;
      Dec(j);
    end;
  end;
end;

function Sorts(n: Int64): Int64;
var
  v: array[0..7] of UInt32;
  i: Integer;
begin
  for i := 0 to 7 do
    v[i] := NextRandom + n;
  Sort(v);
  Result := v[0];
end;

begin
  Shapes[0] := TShape.Create;
  Shapes[1] := TRing.Create;
  Makers[0] := @Texts;
  Makers[1] := @Guarded;
  Makers[2] := @Sorts;
  while True do
  begin
    Turn := NextRandom and 15;
    Sum := Sum + Shapes[Turn and 1].Area(Turn);
    Sum := Sum + Makers[Turn mod 3](Turn);
  end;
end.
