{ SPDX-License-Identifier: BSD-2-Clause }
{ Calls of libtprof that any process may make; prints what calls.c prints. }
program calls;

uses
  TProf;

var
  Config: TTProfConfig; { zero, as all variables here }
  Stats: TTProfStats;
  Error: LongInt;

begin
  WriteLn('version ', TProfVersion);
  for Error := TPROF_OK downto TPROF_ERR_CLOCK - 1 do
    WriteLn(Error, ' ', TProfStrError(Error));
  WriteLn('no version: ', TProfMemSize(Config));
  Config.Version := TPROF_CONFIG_VERSION;
  WriteLn('defaults: ', TProfMemSize(Config));
  Config.Cpus := 7;
  Config.RingBytes := 16384;
  Config.DictSlots := 256;
  WriteLn('7 cores: ', TProfMemSize(Config));
  Config.CpuSource := TPROF_CPU_HOOK;
  WriteLn('no hook: ', TProfMemSize(Config));
  WriteLn('before init: ', TProfStartCpu, ' ', TProfStopCpu, ' ',
          TProfGetStats(0, Stats));
end.
