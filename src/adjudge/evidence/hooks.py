"""Small modules that make node and Perl tell what they did not find, also if the program catches the error.

They are used only when a verifier is run a second time to be heard better, never in the run that gives the
reward. Each writes the words that its language would have used, with the file that asked, to a file that a
variable names. A program that is only asked for its version is no lack. node and Perl load a module that a
variable names before anything else; every other program passes the variables over.
"""

from __future__ import annotations

_FOLDER = ".adjudge-hooks"
"""Lies in the copy of the tests that the second run sees."""
_KEPT = "ADJUDGE_KEPT"

_NODE = """
const fs = require('fs'), Module = require('module'), programs = require('child_process');
const kept = process.env.ADJUDGE_KEPT;
const note = (text) => { try { fs.appendFileSync(kept, text + '\\n'); } catch (error) {} };
const resolve = Module._resolveFilename;
Module._resolveFilename = function (name, parent, ...rest) {
  try { return resolve.call(this, name, parent, ...rest); } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND')
      note(`Error: Cannot find module '${name}'\\n- ${(parent && parent.filename) || '<repl>'}`);
    throw error;
  }
};
const asks = (rest) => Array.isArray(rest[0]) && /^(--version|-v|-V|version)$/.test(rest[0][0]);
const missed = (name, rest, error) => {
  if (error && error.code === 'ENOENT' && !asks(rest)) note(`Error: spawn ${name} ENOENT`);
};
const spawnSync = programs.spawnSync, spawn = programs.spawn, execFileSync = programs.execFileSync;
programs.spawnSync = (name, ...rest) => {
  const done = spawnSync(name, ...rest); missed(name, rest, done.error); return done;
};
programs.execFileSync = (name, ...rest) => {
  try { return execFileSync(name, ...rest); } catch (error) { missed(name, rest, error); throw error; }
};
programs.spawn = (name, ...rest) => {
  const child = spawn(name, ...rest); child.on('error', (error) => missed(name, rest, error)); return child;
};
if (Module.syncBuiltinESMExports) Module.syncBuiltinESMExports();
"""
_PERL = """
package AdjudgeHooks;
push @INC, sub {
    my ($self, $name) = @_;
    my $depth = 0;
    my ($file, $line) = ('', 0);
    while (my @caller = caller($depth++)) { ($file, $line) = @caller[1, 2]; last if $file !~ /^\\(eval/; }
    if (open(my $out, '>>', $ENV{ADJUDGE_KEPT} || '/dev/null')) {
        print $out "Can't locate $name in \\@INC at $file line $line.\\n";
        close($out);
    }
    return;
};
1;
"""


def hook_files() -> dict[str, str]:
    """The modules, by their paths below `/tests`."""
    return {f"{_FOLDER}/node.js": _NODE, f"{_FOLDER}/AdjudgeHooks.pm": _PERL}


def hook_environment(kept: str) -> dict[str, str]:
    """The variables that load them, and where they write."""
    here = f"/tests/{_FOLDER}"
    return {_KEPT: kept, "NODE_OPTIONS": f"--require={here}/node.js", "PERL5OPT": f"-I{here} -MAdjudgeHooks"}
