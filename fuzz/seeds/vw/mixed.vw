1 1.0 0 'tag|a:2 x:3 y z:0 x|b u:v 5 |c:0.5 q :3 :4
-1 2 tag| plain a:1e3 |a w

| unlabelled a:-.5
1 -1 | a
0 | a:1x
3 nan |b c
1:0.5 | a
