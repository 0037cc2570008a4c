"use strict";
// Menus close with Esc or a click outside. The arrow keys go to the previous and next page. Nothing needs this script.
// A browser doesn't scroll to a focused work of a wall that is partly in view.
document.addEventListener("focusin", function (event) {
  if (event.target.closest(".wall a")) event.target.scrollIntoView({ block: "nearest", inline: "nearest" });
});
document.addEventListener("keydown", function (event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key === "Escape") {
    document.querySelectorAll("details.menu[open]").forEach(function (menu) {
      var isInside = menu.contains(document.activeElement);
      menu.open = false;
      if (isInside) menu.querySelector("summary").focus();
    });
  }
  // In a field or a scrolling area, the arrow keys move in it.
  if (document.activeElement && document.activeElement !== document.body) return;
  var relation = event.key === "ArrowLeft" ? "prev" : event.key === "ArrowRight" ? "next" : null;
  var link = relation && document.querySelector("main a[rel=" + relation + "]");
  if (link) link.click();
});
document.addEventListener("click", function (event) {
  document.querySelectorAll("details.menu[open]").forEach(function (menu) {
    if (!menu.contains(event.target)) menu.open = false;
  });
});
