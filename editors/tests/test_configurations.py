"""The configurations of docs/editors.md, in the editors that are there, with the grammar of tree-sitter where it is made."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
VFLC = os.environ.get("VFLC") or shutil.which("vflc")
pytestmark = pytest.mark.skipif(VFLC is None, reason="vflc is not there: VFLC names it")

NEOVIM = """
local found = {}
local function say(...) table.insert(found, table.concat({ ... }, " ")) end
vim.cmd.edit("trial.vfl")
vim.wait(20000, function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
vim.wait(20000, function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0 end)
for _, h in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do say("hint", h.inlay_hint.label) end
vim.api.nvim_buf_set_lines(0, -1, -1, false, { "let q = mean(XX)" })
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end)
for _, d in ipairs(vim.diagnostic.get(0)) do say("diagnosed", d.code) end
if #vim.api.nvim_get_runtime_file("parser/vfl.so", false) > 0 then
  vim.treesitter.start()
  vim.treesitter.get_parser(0):parse()
  vim.fn.search("normal(m")
  for _, c in ipairs(vim.treesitter.get_captures_at_cursor(0)) do say("captured", c) end
end
vim.fn.writefile(found, "found")
vim.cmd("qa!")
"""

EMACS = """
(defun wait-until (done)
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall done)) (< (float-time) end)) (accept-process-output nil 0.1))))
(package-initialize)
(require 'eglot)
(load (expand-file-name "configuration"))
(find-file "trial.vfl")
(apply #'eglot (eglot--guess-contact)) ; without a window nothing comes after the command that opens a file
(goto-char (point-max))
(insert "let q = mean(XX)\\n")
(eglot--signal-textDocument/didChange)
(flymake-start)
(wait-until #'flymake-diagnostics)
(append-to-file (mapconcat (lambda (d) (concat "diagnosed " (flymake-diagnostic-text d))) (flymake-diagnostics) "\\n") nil "found")
(set-buffer-modified-p nil)
"""


def configuration(language: str) -> str:
    return re.search(f"^```{language}\n(.*?)^```$", (ROOT / "docs" / "editors.md").read_text(), re.M | re.S)[1]


def found(folder: pathlib.Path, *command: str) -> list[str]:
    """Runs an editor over a model of two parties, and reads what it has found."""
    (folder / "bin").mkdir()
    (folder / "bin" / "vflc").symlink_to(VFLC)
    (folder / "trial.vfl").write_text(
        "server registry\nclient lab\ndata y : real[N] @ shared\ndata x : real[N] @ lab\n"
        "param m ~ normal(0, 1)\nparam b ~ normal(0, 1) @ lab\ny ~ normal(m + x * b, 1)\ntransform exact\n"
    )
    folders = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ["CONFIG", "DATA", "STATE", "CACHE"]}
    env = {**os.environ, **folders, "HOME": str(folder), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, timeout=100)
    return (folder / "found").read_text().splitlines()


def version(editor: str) -> tuple[int, ...]:
    if shutil.which(editor) is None:
        return ()
    first = subprocess.run([editor, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return tuple(int(n) for n in re.findall(r"\d+", first))


@pytest.mark.skipif(version("nvim") < (0, 11), reason="there is no Neovim from 0.11 on")
def test_neovim(tmp_path):
    config = tmp_path / "CONFIG" / "nvim"
    config.mkdir(parents=True)
    (config / "init.lua").write_text(configuration("lua"))
    grammar = ROOT / "editors" / "tree-sitter-vfl"
    made = (grammar / "build" / "vfl.so").exists()
    if made:
        (config / "parser").mkdir()
        shutil.copy(grammar / "build" / "vfl.so", config / "parser")
        shutil.copytree(grammar / "queries", config / "queries" / "vfl")
    (tmp_path / "do.lua").write_text(NEOVIM)
    lines = found(tmp_path, "nvim", "--headless", "-c", "luafile do.lua")
    assert "diagnosed V0201" in lines
    assert any(line.startswith("hint → registry") for line in lines)
    assert ("captured function.builtin" in lines) == made


def eglot() -> bool:
    """Whether there is an Emacs with eglot, which is part of it from 29 on and a package before."""
    load = ["emacs", "--batch", "--eval", "(progn (package-initialize) (require 'eglot))"]
    return shutil.which("emacs") is not None and subprocess.run(load, capture_output=True).returncode == 0


@pytest.mark.skipif(not eglot(), reason="there is no Emacs with eglot")
def test_emacs(tmp_path):
    (tmp_path / "configuration").write_text(configuration("elisp"))
    (tmp_path / "do.el").write_text(EMACS)
    lines = found(tmp_path, "emacs", "--batch", "-l", "do.el")
    assert any("V0201" in line for line in lines)
