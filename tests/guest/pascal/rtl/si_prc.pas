{ SPDX-License-Identifier: BSD-2-Clause }
{ si_prc: linked by the compiler into all programs for Linux; empty here. }
unit si_prc;

interface

implementation

end.
