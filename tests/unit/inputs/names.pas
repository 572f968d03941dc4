{ SPDX-License-Identifier: BSD-2-Clause }
{ What Free Pascal makes of names: one of each kind, for test_pascal.c. }
unit Names;

{$MODE ObjFPC}
{$MODESWITCH ADVANCEDRECORDS}

interface

type
  TMeter = class
    Count: LongInt;
    constructor Create(Start: LongInt);
    procedure Add(Amount: LongInt);
    procedure Over(A: LongInt); overload;
    procedure Over(const A: string; var B: array of LongInt); overload;
    class function Total: Int64;
  end;

  TPoint = record
    X: LongInt;
    procedure Show;
    class operator +(const A, B: TPoint): TPoint;
    class operator :=(A: LongInt): TPoint;
  end;

  TOuter = class
  public type
    TInner = class
      procedure Deep(P: Pointer);
    end;
  end;

  generic TList<T> = class
    procedure Put(X: T);
  end;
  TIntList = specialize TList<LongInt>;

operator *(const A, B: TPoint): TPoint;
procedure With_Under(A: LongInt; B: Double);
procedure Nesting(A: LongInt; const B: array of LongInt);
procedure SetUp;

implementation

constructor TMeter.Create(Start: LongInt);
begin
  Count := Start;
end;

procedure TMeter.Add(Amount: LongInt);

  procedure Local(B: LongInt);

    procedure Deeper;
    begin
      Count := Count + B;
    end;

  begin
    Deeper;
  end;

begin
  Local(Amount);
end;

procedure TMeter.Over(A: LongInt);
begin
  Count := A;
end;

procedure TMeter.Over(const A: string; var B: array of LongInt);
begin
  Count := Length(A) + Length(B);
end;

class function TMeter.Total: Int64;
begin
  Result := 7;
end;

procedure TPoint.Show;
begin
  X := 1;
end;

class operator TPoint.+(const A, B: TPoint): TPoint;
begin
  Result.X := A.X + B.X;
end;

class operator TPoint.:=(A: LongInt): TPoint;
begin
  Result.X := A;
end;

operator *(const A, B: TPoint): TPoint;
begin
  Result.X := A.X * B.X;
end;

procedure TOuter.TInner.Deep(P: Pointer);
begin
end;

procedure TList.Put(X: T);
begin
end;

procedure With_Under(A: LongInt; B: Double);
begin
end;

procedure Nesting(A: LongInt; const B: array of LongInt);

  procedure Inner;
  begin
    A := A + B[0];
  end;

begin
  Inner;
end;

procedure SetUp;
begin
end;

initialization
  SetUp;

finalization
  SetUp;

end.
