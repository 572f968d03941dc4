{ SPDX-License-Identifier: BSD-2-Clause }
{ fpintres: linked by the compiler into all programs; empty here. }
unit fpintres;

interface

implementation

end.
