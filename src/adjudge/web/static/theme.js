"use strict";
// Before anything is drawn: the theme that the reader chose, if they chose one.
try {
  const chosen = localStorage.getItem("adjudge-theme");
  if (["light", "dark"].includes(chosen)) document.documentElement.dataset.theme = chosen;
} catch {
  // without storage the system's theme stays
}
